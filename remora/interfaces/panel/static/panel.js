// The panel works without this file; it adds keys, streaming, and the list of what agents are told, live.
"use strict";

const here = new URL(document.querySelector(".brand").href).pathname;
const typing = (element) => element.closest("input, textarea, select, [contenteditable]");

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
  if (event.key === "/") {
    event.preventDefault();
    document.getElementById("find").focus();
  } else if (event.key === "m") {
    location.href = here + "memories";
  } else if (event.key === "?") {
    location.href = here + "help";
  }
});

const live = document.querySelector("[data-live]");
if (live) {
  const source = new EventSource(live.dataset.live);
  source.addEventListener("said", (event) => { live.innerHTML = event.data; });
  addEventListener("pagehide", () => source.close());
}

const ask = document.getElementById("ask");
if (ask) {
  ask.addEventListener("submit", (event) => {
    event.preventDefault();
    const passages = document.getElementById("passages");
    const answer = document.getElementById("answer");
    const fields = new URLSearchParams(new FormData(ask));
    passages.textContent = "";
    answer.textContent = answer.dataset.waits;
    const source = new EventSource(ask.dataset.stream + "?" + fields);
    source.addEventListener("passages", (one) => { passages.innerHTML = one.data; });
    source.addEventListener("answer", (one) => { passages.textContent = ""; answer.innerHTML = one.data; source.close(); });
    source.addEventListener("failed", (one) => { passages.textContent = ""; answer.textContent = one.data; source.close(); });
    source.onerror = () => { source.close(); if (!answer.children.length) location.search = fields; };
  });
}

const all = document.querySelector("#bulk input[name=all]");
if (all) {
  all.addEventListener("change", () => {
    for (const one of document.querySelectorAll("#bulk input[name=id]")) one.checked = all.checked;
  });
}
