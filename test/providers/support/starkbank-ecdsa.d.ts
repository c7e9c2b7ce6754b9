/** What the tests use of Stark Bank's own library, which has no types. Texts are signed by SHA-256; keys are PEM. */
declare module 'starkbank-ecdsa' {
  type Signature = { toBase64(): string }
  type Key = { curve: unknown }
  export const Signature: { fromBase64(text: string): Signature }
  export const PublicKey: { fromPem(pem: string): Key }
  export const PrivateKey: { fromPem(pem: string): Key }
  export const Ecdsa: {
    sign(message: string, key: Key): Signature
    verify(message: string, signature: Signature, key: Key): boolean
  }
}
