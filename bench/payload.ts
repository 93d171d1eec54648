const PAD = "x".repeat(160);

/** The payload every contestant stores: some 200 bytes of JSON that name the task by a number. */
export function payloadOf(seq: number): { readonly seq: number; readonly orderId: string; readonly pad: string } {
  return { seq, orderId: keyOf(seq), pad: PAD };
}

export function payloadText(seq: number): string {
  return JSON.stringify(payloadOf(seq));
}

export function keyOf(seq: number): string {
  return `ORD${seq}`;
}

export const PAYLOAD_BYTES = Buffer.byteLength(payloadText(100_000));

export const EVENT_TYPE = "BENCH";
