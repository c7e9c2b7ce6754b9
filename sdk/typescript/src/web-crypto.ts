/** Returns WebCrypto: a global everywhere but in Node 18. */
export async function loadWebCrypto(): Promise<typeof globalThis.crypto> {
  if (globalThis.crypto) return globalThis.crypto
  // Named at run time, so that bundlers for browsers do not look for it.
  const name: string = 'node:crypto'
  const module: { webcrypto: typeof globalThis.crypto } = await import(
    /* webpackIgnore: true */ /* @vite-ignore */ name
  )
  return module.webcrypto
}
