import { createHash, createHmac } from 'node:crypto'
import type { TLSSocket } from 'node:tls'
import type { Context } from 'koa'

/** Signs a token, a JWT, with the secret of its account: a changed secret ends the tokens issued under the old one. */
export function signToken(claims: object, secret: string): string {
  const content = [{ alg: 'HS256', typ: 'JWT' }, claims]
    .map(part => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`
}

/** Reads the bearer token of a call and its claims, which are not verified; undefined claims of a text that is no token. */
export function readBearerToken(ctx: Context): { token: string; claims: unknown } {
  const token = /^Bearer (\S+)$/i.exec(ctx.get('authorization'))?.[1] ?? ''
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    return { token, claims }
  } catch {
    return { token, claims: undefined }
  }
}

/** Tells whether the caller has a client certificate; only one of the local authority counts. */
export function hasClientCertificate(ctx: Context): boolean {
  return (ctx.req.socket as TLSSocket).authorized
}

/** Computes the thumbprint of the caller's certificate, `x5t#S256` (RFC 8705, section 3.1); undefined without one. */
export function computeCertificateThumbprint(ctx: Context): string | undefined {
  if (!hasClientCertificate(ctx)) return undefined
  const { raw } = (ctx.req.socket as TLSSocket).getPeerCertificate()
  return createHash('sha256').update(raw).digest('base64url')
}
