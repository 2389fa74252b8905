// The same service for Node: `node node.mjs 8000`.
import { createServer } from "node:http";

const SETTING = "/api/homeappliances/hood-1/settings/Vendor.Common.Setting.ChildLock";

createServer((request, response) => {
  const found = request.method === "GET" && request.url === SETTING;
  const body = found ? { data: { key: SETTING.split("/").pop(), value: false } } : { error: "not found" };
  response.writeHead(found ? 200 : 404, { "Content-Type": "application/json" });
  response.end(JSON.stringify(body));
}).listen(Number(process.argv[2]), "127.0.0.1");
