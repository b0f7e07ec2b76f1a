/** Ports that are opened by their first use. */

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- any port whose methods are all asynchronous
type Asynchronous<Port> = { readonly [Name in keyof Port]: (...args: any[]) => Promise<any> };

/**
 * A port of asynchronous methods alone, which `open` opens with the first call of one; `close` opens nothing. It is a
 * plain object, as every port: what is made of one by spreading it has all of its methods.
 *
 * @param methods all of them, by name
 */
export const latePort = <Port extends Asynchronous<Port>>(
  methods: { readonly [Name in keyof Port]: true },
  open: () => Promise<Port>,
): Port => {
  let opening: Promise<Port> | null = null;
  const names = Object.keys(methods) as (keyof Port)[];
  const late =
    (name: keyof Port) =>
    async (...args: unknown[]) => {
      if (name === 'close' && opening === null) return;
      opening ??= open().catch((error: unknown) => {
        // What could not be opened is tried again with the next call.
        opening = null;
        throw error;
      });
      const opened = await opening;
      return (await opened[name](...args)) as unknown;
    };
  return Object.fromEntries(names.map((name) => [name, late(name)])) as Port;
};
