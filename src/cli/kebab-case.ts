/** `totalPool` and `total_pool` as `total-pool`: how a field's flag is spelled. */
export const kebabCase = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/_/g, '-')
    .toLowerCase();
