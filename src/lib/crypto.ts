/** `node:crypto`, on first use: loading it takes more than a millisecond, and most commands hash nothing. */
export const crypto = (): typeof import('node:crypto') => process.getBuiltinModule('node:crypto');
