/** Ports that are opened by their first use. */

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- any port whose methods are all asynchronous
type Asynchronous<Port> = { readonly [Name in keyof Port]: (...args: any[]) => Promise<any> };

/** A port of asynchronous methods alone, which `open` opens with the first call of one; `close` opens nothing. */
export const latePort = <Port extends Asynchronous<Port>>(open: () => Promise<Port>): Port => {
  let opening: Promise<Port> | null = null;
  return new Proxy({} as Port, {
    // Whoever awaits the port itself asks for `then`: a port is no promise.
    get: (_, name) =>
      name === 'then'
        ? undefined
        : async (...args: unknown[]): Promise<unknown> => {
            if (name === 'close' && opening === null) return;
            const opened = await (opening ??= open());
            return opened[name as keyof Port](...args);
          },
  });
};
