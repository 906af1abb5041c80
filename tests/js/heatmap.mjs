// The scripts of the heatmap as the app joins them, over a document that only remembers what was put into it.

import { readFileSync } from "node:fs";

export class FakeElement {
  constructor(tag) {
    Object.assign(this, { tag, attributes: {}, children: [], style: { setProperty() {} }, dataset: {}, listeners: {} });
  }
  setAttribute(name, value) {
    this.attributes[name] = String(value);
  }
  getAttribute(name) {
    return this.attributes[name] ?? null;
  }
  append(...nodes) {
    this.children.push(...nodes);
  }
  prepend(...nodes) {
    this.children.unshift(...nodes);
  }
  replaceChildren(...nodes) {
    this.children = nodes;
  }
  addEventListener(name, does) {
    this.listeners[name] = does;
  }
  get textContent() {
    return this.children.map((child) => (typeof child === "string" ? child : child.textContent)).join("");
  }
  set textContent(text) {
    this.children = [text];
  }
  // Itself where the selector is its tag or one of its classes.
  closest(selector) {
    const classes = (this.attributes.class ?? "").split(" ");
    return selector.split(", ").some((part) => part === this.tag || classes.includes(part.slice(1))) ? this : null;
  }
  all(css) {
    return this.children.flatMap((child) => (child.all ? [...((child.attributes.class ?? "").split(" ").includes(css) ? [child] : []), ...child.all(css)] : []));
  }
}

const SCRIPTS = process.env.SCRIPTS.split(",");
const source = SCRIPTS.map((name) => readFileSync(new URL(`../../components/static/${name}.js`, import.meta.url), "utf8")).join("\n");
const names = [...source.matchAll(/^(?:function\*? |class |const |let )(\w+)/gm)].map((found) => found[1]);

globalThis.Element = FakeElement;
globalThis.document = { createElement: (tag) => new FakeElement(tag) };
globalThis.window = { location: { href: "http://localhost/heatmap" } };

// A new copy for each test, since the scripts hold what a user chose.
export function scripts() {
  return new Function(`${source.replace("export default function", "function mount")}; return { ${names.join(", ")}, setFilter: (value) => { citeFilter = value; } };`)();
}
