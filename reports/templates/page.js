"use strict";
// The page is whole without this: it opens what a link points into, and filters long tables.
function reveal() {
  const target = location.hash && document.getElementById(location.hash.slice(1));
  for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
  if (target) target.scrollIntoView({ block: "center" });
}
addEventListener("hashchange", reveal);
reveal();
for (const box of document.querySelectorAll("input[data-filter]")) {
  const parts = document.querySelectorAll(box.dataset.filter);
  box.closest("p").hidden = false;
  box.addEventListener("input", () => {
    const wanted = box.value.toLowerCase();
    for (const part of parts) part.hidden = !part.dataset.id.toLowerCase().includes(wanted);
  });
}
for (const button of document.querySelectorAll("button[data-open]")) {
  button.addEventListener("click", () => {
    const all = document.querySelectorAll(button.dataset.open);
    const open = ![...all].every((one) => one.open);
    for (const one of all) one.open = open;
  });
}
