import type { Context } from 'koa'

/** Chooses the encoding of a response: the first of ours that the client accepts; undefined for the plain body. */
export function chooseEncoding(ctx: Context): 'br' | 'gzip' | undefined {
  return (['br', 'gzip'] as const).find(encoding => ctx.acceptsEncodings(encoding) === encoding)
}
