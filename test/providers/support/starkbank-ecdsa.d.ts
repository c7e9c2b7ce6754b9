/** What the tests use of Stark Bank's own library, which has no types. Texts are signed by SHA-256; keys are PEM. */
declare module 'starkbank-ecdsa' {
  export class Signature {
    static fromBase64(text: string): Signature
    toBase64(): string
  }
  export class PublicKey {
    static fromPem(pem: string): PublicKey
  }
  export class PrivateKey {
    static fromPem(pem: string): PrivateKey
  }
  export const Ecdsa: {
    sign(message: string, key: PrivateKey): Signature
    verify(message: string, signature: Signature, key: PublicKey): boolean
  }
}
