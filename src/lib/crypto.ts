type Crypto = typeof import('node:crypto');

let loaded: Crypto | undefined;

/** `node:crypto`, on first use: loading it takes more than a millisecond, and most commands hash nothing. */
export const crypto = (): Crypto => {
  loaded ??= process.getBuiltinModule('node:crypto');
  return loaded;
};
