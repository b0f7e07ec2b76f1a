/** What came of reading what a person wrote: its value, or what to write instead. */
export type Reading<Value> = { readonly value: Value } | { readonly problem: string };
