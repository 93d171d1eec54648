import { scanJson } from "./scan-json.ts";

/** A part of a JSON text for showing it: values stay the text they were written as. */
export type JsonNode =
  | {
      readonly kind: "string" | "number" | "literal";
      readonly raw: string;
      readonly start: number;
      readonly end: number;
    }
  | { readonly kind: "object" | "array"; readonly members: readonly JsonMember[] };

export interface JsonMember {
  /** The name as it was written, quotes included; the index for an element of a list. */
  readonly name: string;
  readonly node: JsonNode;
  /** The same name stands in the object before. */
  readonly isDuplicate: boolean;
}

/** The text as a tree, doubled names included. For texts that are small enough to be shown. @throws JsonSyntaxError */
export function jsonTree(text: string): JsonNode {
  const open: {
    kind: "object" | "array";
    members: JsonMember[];
    names: Set<string>;
    name: string;
    isDuplicate: boolean;
  }[] = [];
  let root: JsonNode | undefined;
  const add = (node: JsonNode) => {
    const parent = open.at(-1);
    if (!parent) {
      root = node;
      return;
    }
    const name = parent.kind === "array" ? String(parent.members.length) : parent.name;
    parent.members.push({ name, node, isDuplicate: parent.isDuplicate });
  };
  scanJson(text, {
    key(start, end, name) {
      const parent = open.at(-1);
      if (!parent) return;
      parent.name = text.slice(start, end);
      parent.isDuplicate = parent.names.has(name);
      parent.names.add(name);
    },
    open: (kind) => void open.push({ kind, members: [], names: new Set(), name: "", isDuplicate: false }),
    close() {
      const closed = open.pop();
      if (closed) add({ kind: closed.kind, members: closed.members });
    },
    scalar: (kind, start, end) => add({ kind, raw: text.slice(start, end), start, end }),
  });
  if (!root) throw new Error("a scan without an end");
  return root;
}

/** Whether any object of the tree has a name twice. */
export function hasDuplicates(node: JsonNode): boolean {
  return "members" in node && node.members.some((member) => member.isDuplicate || hasDuplicates(member.node));
}
