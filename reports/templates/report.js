// A search for report.html, and buttons that copy: it sends nothing, writes texts only as texts, and keeps what is
// sought in the address of the page alone, so that a filtered view can be sent.
// Without this script the page shows everything; the controls are made here, so that none is there that does nothing.
(() => {
  "use strict";
  const VERDICTS = ["pass", "fail", "inconclusive", "not_applicable", "observed", "error"];
  const NOUNS = {
    finding: ["finding", "findings"], reason: ["reason", "reasons"], observation: ["observation", "observations"],
    condition: ["condition", "conditions"], key: ["row of the matrix", "rows of the matrix"],
    clause: ["clause", "clauses"], "written key": ["written key", "written keys"],
  };
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const make = (name, members = {}, ...children) => {
    const element = Object.assign(document.createElement(name), members);
    element.append(...children);
    return element;
  };

  const appliances = all("[data-appliance]").map((cell) => cell.textContent);
  const entries = [];
  const containers = new Map(); // what holds entries, and how many of them are shown
  const opened = new Set(); // what the search has unfolded

  // The columns of the matrix, each with the number of its appliance.
  const columns = all(".matrix").flatMap((table) =>
    [...table.tHead.rows[0].cells].slice(1).map((heading, place) => [heading, Number(table.dataset.first) + place]));

  // Read only when it is first needed: the page is painted before.
  const collect = () => {
    for (const element of all("[data-row]")) {
      const entry = { element, sort: element.dataset.row, at: {}, text: element.textContent, cells: [] };
      for (const [name, numbers] of Object.entries(element.dataset)) {
        if (name !== "row") entry.at[name] = numbers ? numbers.split(" ").map(Number) : [];
      }
      if (entry.sort === "key") {
        const first = Number(element.closest("table").dataset.first);
        [...element.cells].slice(1).forEach((cell, place) => {
          entry.cells.push([cell, first + place]);
          if (!cell.className) return;
          (entry.at[cell.className] ??= []).push(first + place);
          entry.text += ` ${cell.title}`;
          if (!cell.matches(".not_applicable")) entry.text += ` ${appliances[first + place]}`;
        });
      } else if (entry.sort !== "clause") {
        entry.text += ` ${Object.values(entry.at).flat().map((place) => appliances[place]).join(" ")}`;
      }
      entry.text = entry.text.toLowerCase();
      entries.push(entry);
      for (let box = element.parentElement; box && box.tagName !== "MAIN"; box = box.parentElement) containers.set(box, 0);
    }
  };

  const matches = (entry, words, verdict, place) => {
    const places = verdict ? entry.at[verdict] : Object.values(entry.at).flat();
    return places !== undefined && (place === null || places.includes(place)) && words.every((word) => entry.text.includes(word));
  };

  const field = make("input", { type: "search", id: "search", autocomplete: "off", spellcheck: false, placeholder: "clause, key, haId, text" });
  const verdicts = make("select", { id: "verdict" }, make("option", { value: "", textContent: "every verdict" }));
  const places = make("select", { id: "appliance" }, make("option", { value: "", textContent: "every appliance" }));
  const clear = make("button", { type: "button", textContent: "Show everything", hidden: true });
  const said = make("output", { id: "hits" });
  said.setAttribute("aria-live", "polite");

  const apply = () => {
    if (!entries.length) collect();
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const place = places.value === "" ? null : Number(places.value);
    const filters = Boolean(words.length || verdicts.value || place !== null);
    const found = {};
    let number = 0;
    for (const box of containers.keys()) containers.set(box, 0);
    for (const entry of entries) {
      const shown = !filters || matches(entry, words, verdicts.value, place);
      entry.element.hidden = !shown;
      for (const [cell, at] of entry.cells) cell.hidden = place !== null && at !== place;
      if (!shown) continue;
      number += 1;
      found[entry.sort] = (found[entry.sort] ?? 0) + 1;
      for (let box = entry.element.parentElement; containers.has(box); box = box.parentElement) containers.set(box, containers.get(box) + 1);
    }
    for (const [box, inside] of containers) {
      const empty = inside === 0;
      if (box.matches("main > section")) box.classList.toggle("without-hits", empty);
      else box.hidden = empty;
      if (box.tagName === "DETAILS") unfold(box, filters && !empty);
    }
    for (const [heading, at] of columns) heading.hidden = place !== null && at !== place;
    const parts = Object.entries(found).map(([sort, times]) => `${times.toLocaleString("en")} ${NOUNS[sort][times === 1 ? 0 : 1]}`);
    const sum = `${number.toLocaleString("en")} of ${entries.length.toLocaleString("en")} entries of this page`;
    said.textContent = filters ? `${sum}${parts.length ? `: ${parts.join(", ")}` : ": nothing matches"}` : "";
    clear.hidden = !filters;
    document.documentElement.classList.toggle("filtered", filters);
    keep();
  };

  const unfold = (details, wanted) => {
    if (wanted && !details.open) opened.add(details);
    else if (wanted || !opened.delete(details)) return;
    details.open = wanted;
  };

  const reset = () => {
    field.value = verdicts.value = places.value = "";
    apply();
  };

  // What is sought stands in the address behind the sign #, as q=EcoMode&verdict=fail&appliance=oven-1.
  const sought = () => {
    const words = new URLSearchParams();
    if (field.value) words.set("q", field.value);
    if (verdicts.value) words.set("verdict", verdicts.value);
    if (places.value) words.set("appliance", appliances[Number(places.value)]);
    return words.toString();
  };
  const keep = () => {
    const words = sought();
    if (words || isSearch(location.hash)) history.replaceState(null, "", words ? `#${words}` : location.pathname + location.search);
  };
  const isSearch = (hash) => /^#(q|verdict|appliance)=/.test(hash);
  const seek = (hash) => {
    const words = new URLSearchParams(hash.slice(1));
    field.value = words.get("q") ?? "";
    verdicts.value = words.get("verdict") ?? "";
    const place = appliances.indexOf(words.get("appliance"));
    places.value = place < 0 ? "" : String(place);
    if (verdicts.selectedIndex < 0) verdicts.value = "";
    apply();
  };

  // A link, or an address with an anchor, leads to its place also when the search has hidden it.
  const reveal = (hash) => {
    if (isSearch(hash)) return seek(hash);
    const target = hash.length > 1 && document.getElementById(decodeURIComponent(hash.slice(1)));
    if (target && target.closest("[hidden]")) reset();
    return undefined;
  };

  let waiting = 0;
  const soon = () => {
    clearTimeout(waiting);
    waiting = setTimeout(apply, 120);
  };

  for (const heading of all("[data-verdict]:not(.nothing)")) {
    const name = heading.dataset.verdict;
    if (VERDICTS.includes(name)) verdicts.append(make("option", { value: name, textContent: heading.textContent.trim() }));
  }
  if (document.querySelector("[data-waived]")) verdicts.append(make("option", { value: "waived", textContent: "waived" }));
  appliances.forEach((name, place) => places.append(make("option", { value: String(place), textContent: name })));

  const form = make("form", { id: "filter" },
    make("label", { htmlFor: "search", textContent: "Search" }), field,
    make("label", { htmlFor: "verdict", textContent: "Verdict" }), verdicts,
    make("label", { htmlFor: "appliance", textContent: "Appliance" }), places, clear, said);
  form.setAttribute("role", "search");
  document.querySelector("nav").append(form);

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    apply();
  });
  field.addEventListener("input", soon);
  verdicts.addEventListener("change", apply);
  places.addEventListener("change", apply);
  clear.addEventListener("click", () => {
    reset();
    field.focus();
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.('a[href^="#"]');
    if (link) reveal(link.hash);
  });
  addEventListener("hashchange", () => reveal(location.hash));
  if (isSearch(location.hash)) seek(location.hash);

  const copied = async (pre) => {
    try {
      await navigator.clipboard.writeText(pre.textContent);
    } catch { // a page from a file may have no clipboard of its own
      getSelection().selectAllChildren(pre);
      document.execCommand("copy");
    }
  };
  for (const pre of all("pre.curl")) {
    const button = make("button", { type: "button", className: "copy", textContent: "Copy" });
    button.addEventListener("click", async () => {
      await copied(pre);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    pre.before(button);
  }
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, select, textarea");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      field.focus();
      field.select();
    } else if (event.key === "Escape" && form.contains(event.target)) {
      event.preventDefault();
      reset();
    }
  });

  // On paper nothing is folded; what is filtered stays so, and the page says it.
  addEventListener("beforeprint", () => all("details:not([open])").forEach((details) => {
    details.open = true;
    details.dataset.printed = "";
  }));
  addEventListener("afterprint", () => all("details[data-printed]").forEach((details) => {
    details.open = false;
    delete details.dataset.printed;
  }));
})();
