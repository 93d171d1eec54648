/** A value as its JSON holds it: instants are ISO text. */
export type Wire<Value> = Value extends Date
  ? string
  : Value extends object
    ? { readonly [Key in keyof Value]: Wire<Value[Key]> }
    : Value;
