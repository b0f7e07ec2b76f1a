/** Time limits for what others may never answer. */

/**
 * What a promise resolves to, if it does so in time. Leaves no timer behind.
 *
 * @throws Error with `message` when the time is over, and what the promise rejects with
 */
export const withTimeLimit = async <T>(
  promise: Promise<T>,
  milliseconds: number,
  message: string,
): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error(message));
    }, milliseconds);
  });
  try {
    return await Promise.race([promise, limit]);
  } finally {
    clearTimeout(timer);
  }
};
