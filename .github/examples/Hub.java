// The same service for the JVM: `java Hub.java 8000`.
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;

public class Hub {
    static final String SETTING = "/api/homeappliances/hood-1/settings/Vendor.Common.Setting.ChildLock";

    public static void main(String[] words) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(words[0])), 0);
        server.createContext("/", exchange -> {
            boolean found = exchange.getRequestMethod().equals("GET") && exchange.getRequestURI().getPath().equals(SETTING);
            String key = SETTING.substring(SETTING.lastIndexOf('/') + 1);
            String body = found ? "{\"data\": {\"key\": \"" + key + "\", \"value\": false}}" : "{\"error\": \"not found\"}";
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(found ? 200 : 404, body.length());
            exchange.getResponseBody().write(body.getBytes());
            exchange.close();
        });
        server.start();
    }
}
