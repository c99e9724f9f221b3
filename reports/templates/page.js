"use strict";
// The page is whole without this. It sorts and filters tables, opens what a link points into, lets
// arrow keys walk the matrix, and shows the meaning of a term beside it.
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const PORTION = 40;
const compare = new Intl.Collator(undefined, { numeric: true }).compare;

function reveal() {
  const target = location.hash && document.getElementById(location.hash.slice(1));
  if (!target) return;
  for (let at = target; at; at = at.parentElement) {
    if (at.tagName === "DETAILS") at.open = true;
    if (at.hidden) at.hidden = false; // a filter had taken it away
  }
  const tall = target.offsetHeight > innerHeight / 2;
  target.scrollIntoView({ block: tall ? "start" : "center", inline: "nearest" });
}

// Sorts elements by text, or by numbers with the missing ones last in either direction.
function sorted(items, keyOf, numeric, sign) {
  const known = items.map((item) => [keyOf(item), item]);
  known.sort(([a], [b]) => {
    if (!numeric) return sign * compare(a, b);
    if (a === "" || b === "") return (a === "") - (b === "");
    return sign * (a - b);
  });
  return known.map(([, item]) => item);
}

function sortable(head) {
  const button = document.createElement("button");
  const numeric = head.dataset.sort === "number";
  button.type = "button";
  button.className = "sort";
  // A term is a link of its own, and stays outside the button.
  if (head.querySelector(".term")) button.ariaLabel = `Sort by ${head.textContent.trim()}`;
  else button.append(...head.childNodes);
  head.append(button);
  button.addEventListener("click", () => {
    const up = head.ariaSort ? head.ariaSort === "descending" : !numeric;
    const body = head.closest("table").tBodies[0];
    const keyOf = (row) => {
      const cell = row.cells[head.cellIndex];
      return cell.dataset.v ?? (numeric ? String(parseFloat(cell.textContent) || "") : cell.textContent);
    };
    for (const other of head.parentElement.cells) other.ariaSort = null;
    head.ariaSort = up ? "ascending" : "descending";
    body.append(...sorted([...body.rows], keyOf, numeric, up ? 1 : -1));
  });
}

function filter(tools) {
  const items = all(tools.dataset.for);
  if (!items.length) return;
  const name = (item) => item.querySelector(".key");
  const text = (item) => `${name(item).textContent} ${name(item).title}`.toLowerCase();
  const search = tools.querySelector("input");
  const kind = tools.querySelector(".kind");
  const order = tools.querySelector(".order");
  const said = tools.querySelector("[role=status]");
  let names; // read when first needed: there may be thousands
  let turn = 0;
  // A wide row takes the browser half a millisecond, so those below the fold come in portions.
  function show(hidden, mine) {
    if (mine !== turn) return;
    for (const item of hidden.slice(0, PORTION)) item.hidden = false;
    if (hidden.length > PORTION) setTimeout(show, 20, hidden.slice(PORTION), mine);
  }
  function apply() {
    names ??= items.map(text);
    const wanted = search.value.toLowerCase();
    const of = kind?.value;
    const right = items.filter((item, at) =>
      names[at].includes(wanted) &&
      (!of || item.dataset.kind === of || item.querySelector(`td.${of}`)));
    const left = new Set(right);
    for (const item of items) if (!left.has(item)) item.hidden = true;
    show(right.filter((item) => item.hidden), ++turn);
    said.textContent = right.length < items.length ? `${right.length} of ${items.length} shown` : "";
  }
  search.addEventListener("input", apply);
  kind?.addEventListener("change", apply);
  order?.addEventListener("change", () => {
    const by = order.value;
    const keyOf = by === "name" ? (item) => name(item).textContent : (item) => item.dataset[by];
    const sign = by === "called" ? -1 : 1;
    items[0].parentElement.append(...(by ? sorted(items, keyOf, by !== "name", sign) : items));
  });
  tools.hidden = false;
}

// Columns count from the left edge; a stretch of blank cells is one cell.
function column(cell) {
  let at = 0;
  for (let before = cell.previousElementSibling; before; before = before.previousElementSibling)
    at += before.colSpan;
  return at;
}

function at(row, wanted) {
  let left = wanted;
  for (const cell of row.cells) if ((left -= cell.colSpan) < 0) return cell;
  return null;
}

function beside(link, key) {
  const cell = link.closest("td");
  const row = cell.parentElement;
  if (key === "ArrowLeft" || key === "ArrowRight") {
    const links = all("td a", row);
    return links[links.indexOf(link) + (key === "ArrowRight" ? 1 : -1)];
  }
  const next = key === "ArrowDown" ? "nextElementSibling" : "previousElementSibling";
  const wanted = column(cell);
  for (let other = row[next]; other; other = other[next]) {
    const found = other.hidden ? null : at(other, wanted)?.querySelector("a");
    if (found) return found;
  }
  return null;
}

function walk(table) {
  table.addEventListener("keydown", (event) => {
    const link = event.target.closest("td a");
    if (!link || !event.key.startsWith("Arrow")) return;
    beside(link, event.key)?.focus();
    event.preventDefault();
  });
  table.addEventListener("mouseover", (event) => {
    const link = event.target.closest("td a");
    if (!link || link.title) return;
    const cell = link.closest("td");
    const [row, head] = [cell.parentElement.cells[0], at(table.tHead.rows[0], column(cell))];
    const name = (edge) => edge.querySelector("a").textContent;
    link.title = `${name(row)}, ${name(head)}: ${link.ariaLabel}`;
  });
}

// The meaning of a term stands in the list at the end of the page; here it is shown beside the term.
function explain(terms) {
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  tip.setAttribute("aria-hidden", "true"); // the term is described by the list already
  document.body.append(tip);
  let shown = null;
  let timer = 0;
  function hide() {
    clearTimeout(timer);
    tip.hidden = true;
    shown = null;
  }
  function show(term) {
    clearTimeout(timer);
    const meaning = document.getElementById(term.hash.slice(1));
    const name = document.createElement("b");
    name.textContent = meaning.previousElementSibling.textContent;
    tip.replaceChildren(name, `: ${meaning.textContent}`);
    tip.hidden = false;
    shown = term;
    place();
  }
  function place() {
    const [at, size] = [shown.getBoundingClientRect(), tip.getBoundingClientRect()];
    const left = Math.min(at.left, document.documentElement.clientWidth - size.width - 8);
    const below = at.bottom + 6;
    const fits = below + size.height <= innerHeight;
    tip.style.left = `${Math.max(8, left)}px`;
    tip.style.top = `${fits ? below : Math.max(8, at.top - size.height - 6)}px`;
  }
  function later(act, wait) {
    clearTimeout(timer);
    timer = setTimeout(act, wait);
  }
  for (const term of terms) {
    term.addEventListener("pointerenter", (event) => {
      if (event.pointerType === "mouse") later(() => show(term), 120);
    });
    term.addEventListener("pointerleave", (event) => {
      if (event.pointerType === "mouse") later(hide, 250);
    });
    term.addEventListener("focus", () => term.matches(":focus-visible") && show(term));
    term.addEventListener("blur", hide);
    term.addEventListener("click", (event) => {
      event.preventDefault();
      show(term);
    });
  }
  tip.addEventListener("pointerenter", () => clearTimeout(timer));
  tip.addEventListener("pointerleave", hide);
  addEventListener("keydown", (event) => event.key === "Escape" && hide());
  addEventListener("scroll", () => shown && place(), { capture: true, passive: true });
  addEventListener("pointerdown", (event) => {
    if (shown && !tip.contains(event.target) && !event.target.closest(".term")) hide();
  });
}

explain(all(".term"));
all(".sortable th[data-sort]").forEach(sortable);
all("[data-for]").forEach(filter);
all(".matrix").forEach(walk);
for (const note of all(".scripted")) note.hidden = false;
for (const button of all("button[data-open]")) {
  button.addEventListener("click", () => {
    const items = all(button.dataset.open).filter((item) => !item.hidden);
    const open = !items.every((item) => item.open);
    for (const item of items) item.open = open;
  });
}
addEventListener("hashchange", reveal);
reveal();
