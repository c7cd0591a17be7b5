// Switches charts, sorts and filters the table, and recomputes the cost model. Without a document it only
// defines the model, which tests compare with the figures of `manywire trial`.
"use strict";

const SEGMENT_BYTES = 1448;
const SEGMENT_OVERHEAD_BYTES = 52;

// The bytes of one request on the link.
function wireBytes(demand) {
  const stream = Math.round(demand.body_bytes + demand.header_bytes);
  return stream + Math.ceil(stream / SEGMENT_BYTES) * SEGMENT_OVERHEAD_BYTES;
}

// The cost of one request, with the formulas of `trial/cost/model.rs`.
function cost(demand, link, prices) {
  const stream = demand.body_bytes + demand.header_bytes;
  const wire = wireBytes(demand);
  const work = (demand.server_cpu_ns + demand.client_ns) / 1e6;
  const core = demand.server_cpu_ns / 1e9 / prices.utilisation * prices.vcpu_hour / 3600;
  return {
    wire_bytes: wire,
    requests_per_s_core: 1e9 / demand.server_cpu_ns,
    requests_per_s_link: link.bits_per_s / (8 * wire),
    latency_warm_ms: link.round_trip_ms + 8 * wire / link.bits_per_s * 1e3 + work,
    money_per_million: (core + stream / 1e9 * prices.gigabyte) * 1e6,
  };
}

// `bits_per_s` is the bandwidth below which the format with fewer bytes answers sooner than the
// other; null if the same one answers sooner at any bandwidth. `fewer` is true if `demand` has
// fewer bytes than the reference, or as many bytes and no more work.
function breakEven(demand, reference) {
  const work = (it) => it.server_cpu_ns + it.client_ns;
  const saved = wireBytes(reference) - wireBytes(demand);
  const extra = work(demand) - work(reference);
  const fewer = saved === 0 ? extra <= 0 : saved > 0;
  return { bits_per_s: saved * extra > 0 ? 8e9 / (extra / saved) : null, fewer };
}

// A link as the profiles write it: `20mbit/50ms`.
function parseLink(text) {
  const [, rate, unit, time, scale] = /^([\d.]+)(k|m|g)bit\/([\d.]+)(us|ms|s)$/.exec(text);
  return {
    bits_per_s: Number(rate) * { k: 1e3, m: 1e6, g: 1e9 }[unit],
    round_trip_ms: Number(time) * { us: 1e-3, ms: 1, s: 1e3 }[scale],
  };
}

function digits(value) {
  if (value === 0) return "0";
  return Math.abs(value) < 9.995 ? value.toFixed(2) : Math.abs(value) < 99.95 ? value.toFixed(1) : value.toFixed(0);
}

function bandwidth(bits) {
  if (bits < 999.5e3) return `${digits(bits / 1e3)} kbit/s`;
  return bits < 999.5e6 ? `${digits(bits / 1e6)} Mbit/s` : `${digits(bits / 1e9)} Gbit/s`;
}

// Shows the figure whose caption joins the chosen values.
function switchCharts(box) {
  const form = box.querySelector(".filters");
  const figures = [...box.querySelectorAll("figure")];
  if (figures.length < 2) return;
  const choices = [...form.querySelectorAll("select")];
  const show = () => {
    const chosen = choices.map((choice) => choice.value).join(", ");
    const found = figures.find((it) => it.querySelector("figcaption").textContent === chosen) ?? figures[0];
    for (const figure of figures) figure.hidden = figure !== found;
  };
  choices.forEach((choice) => choice.addEventListener("change", show));
  form.hidden = false;
  show();
}

function sortAndFilter(table, filters) {
  const body = table.tBodies[0];
  const rows = [...body.rows];
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = (row) => row.cells[column].dataset.value;
      const text = (row) => row.cells[column].textContent;
      rows.sort((a, b) => {
        // Absent figures come last in both orders.
        const [left, right] = [key(a), key(b)];
        if (left === undefined && right === undefined) return (down ? -1 : 1) * text(a).localeCompare(text(b));
        if (left === undefined || right === undefined) return left === undefined ? 1 : -1;
        return (down ? -1 : 1) * (Number(left) - Number(right));
      });
      body.append(...rows);
    });
  });
  const choices = [...filters.querySelectorAll("select")];
  if (choices.length === 0) return;
  filters.hidden = false;
  const apply = () => {
    for (const row of rows) {
      row.hidden = choices.some((it) => it.value !== "" && row.cells[it.dataset.column].textContent !== it.value);
    }
  };
  choices.forEach((choice) => choice.addEventListener("change", apply));
}

function runModel(section, data) {
  const find = (id) => document.getElementById(id);
  const inputs = ["bandwidth", "round-trip", "requests", "core", "gigabyte"].map(find);
  const choice = find("comparison");
  const set = (link) => {
    find("bandwidth").value = Math.log10(link.bits_per_s);
    find("round-trip").value = link.round_trip_ms;
  };
  const first = data.links.find((link) => link[0] === "4g") ?? data.links[0];
  find("link").value = first[1];
  set(parseLink(first[1]));
  find("requests").value = 3;
  find("core").value = data.prices.vcpu_hour;
  find("gigabyte").value = data.prices.gigabyte;

  const show = () => {
    const chosen = find("link").value;
    const link = chosen === ""
      ? { bits_per_s: 10 ** Number(find("bandwidth").value), round_trip_ms: Number(find("round-trip").value) }
      : parseLink(chosen);
    const prices = { ...data.prices, vcpu_hour: Number(find("core").value), gigabyte: Number(find("gigabyte").value) };
    const requests = 10 ** Number(find("requests").value);
    const outputs = [bandwidth(link.bits_per_s), `${digits(link.round_trip_ms)} ms`, digits(requests),
      `${digits(prices.vcpu_hour)} ${prices.currency}`, `${digits(prices.gigabyte)} ${prices.currency}`];
    inputs.forEach((input, index) => {
      input.nextElementSibling.textContent = outputs[index];
      input.setAttribute("aria-valuetext", outputs[index]);
    });
    const rows = data.comparisons[choice ? choice.value : Object.keys(data.comparisons)[0]];
    const reference = rows.find((row) => row.format === data.reference);
    find("costs").tBodies[0].replaceChildren(...rows.map((row) => {
      const it = cost(row.demand, link, prices);
      const even = reference && row !== reference ? breakEven(row.demand, reference.demand) : null;
      const sooner = even === null ? "" : even.bits_per_s === null
        ? (even.fewer ? "any bandwidth" : "no bandwidth")
        : even.fewer ? bandwidth(even.bits_per_s) : `only above ${bandwidth(even.bits_per_s)}`;
      const cells = [row.label, `${digits(it.latency_warm_ms)} ms`,
        digits(requests / it.requests_per_s_core / data.prices.utilisation),
        `${digits(100 * requests / it.requests_per_s_link)} %`,
        `${digits(it.money_per_million * requests * 86400 / 1e6)} ${prices.currency}`, sooner];
      const line = document.createElement("tr");
      line.append(...cells.map((text) => {
        const cell = document.createElement("td");
        cell.textContent = text;
        return cell;
      }));
      return line;
    }));
  };
  find("link").addEventListener("change", () => {
    if (find("link").value !== "") set(parseLink(find("link").value));
    show();
  });
  for (const id of ["bandwidth", "round-trip"]) find(id).addEventListener("input", () => { find("link").value = ""; });
  for (const input of inputs) input.addEventListener("input", show);
  if (choice) choice.addEventListener("change", show);
  section.hidden = false;
  show();
}

if (typeof document === "undefined") {
  module.exports = { cost, breakEven, parseLink };
} else {
  document.querySelectorAll(".choices").forEach(switchCharts);
  sortAndFilter(document.getElementById("table"), document.getElementById("filters"));
  const data = document.getElementById("model-data");
  if (data) runModel(document.getElementById("cost-model"), JSON.parse(data.textContent));
}
