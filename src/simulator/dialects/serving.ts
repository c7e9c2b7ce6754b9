import { timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import type Router from '@koa/router'
import type { Context } from 'koa'
import type { ProviderName } from '../../domain/provider.ts'
import type { Account } from '../accounts.ts'
import { type Answer, type CallRoute, type FailureWords, played } from '../calls.ts'
import { bodyText } from '../route.ts'
import type { World } from '../world.ts'

export type Method = 'get' | 'put' | 'post' | 'patch' | 'delete'
export type ServedRoute = [method: Method, path: string, route: CallRoute]

/** What a dialect brings; how its calls are answered, faults included, is the same for all. */
export type Served = {
  routes: ServedRoute[]
  /** Whose call it is, or the refusal of a call that is nobody's. */
  admitted(ctx: Context): { account: Account } | { refusal: Answer }
  words: FailureWords
  malformedJson(): Answer
}

/** Serves a dialect's calls on one provider's port. */
export function serve(router: Router, world: World, provider: ProviderName, dialect: Served): void {
  for (const [method, path, route] of dialect.routes) {
    router.register(path, [method], async ctx => {
      const admission = dialect.admitted(ctx)
      if ('refusal' in admission) return say(ctx, admission.refusal)
      const body = await (route.bodyOf ?? jsonOf)(ctx)
      if (body === MALFORMED) return say(ctx, dialect.malformedJson())
      const params = ctx.params as Record<string, string>
      const call = { account: admission.account, params, query: ctx.URL.searchParams, body }

      const fault =
        world.faults.takeForCall({ provider, id: call.account.id }, route.operation) ??
        route.magicOf?.(call) ??
        null
      const answer = await played({
        fault,
        act: fate => route.act(call, fate),
        words: dialect.words,
        operation: route.operation,
        pace: world.pace,
        gone: () => goneSignal(ctx, world.stopping),
      })
      if (answer) say(ctx, answer)
      else fallSilent(ctx)
    })
  }
}

export const MALFORMED = Symbol('malformed')

/** A body's JSON, `{}` where there is none. */
export async function jsonOf(ctx: Context): Promise<unknown> {
  const body = await bodyText(ctx)
  if (body === '') return {}
  try {
    return JSON.parse(body) as unknown
  } catch {
    return MALFORMED
  }
}

export function say(ctx: Context, { status, body, headers = {} }: Answer): void {
  ctx.status = status
  ctx.set(headers)
  ctx.type = isProblem(body) ? 'application/problem+json' : 'application/json'
  ctx.body = body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body)
  // Koa makes 204 of an empty body; the status is the provider's to choose.
  ctx.status = status
}

function isProblem(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'type' in body && 'title' in body
}

/** Aborted when the caller hangs up or the simulator stops. */
function goneSignal(ctx: Context, stopping: AbortSignal): AbortSignal {
  const hungUp = new AbortController()
  once(ctx.res, 'close', { signal: stopping }).then(
    () => hungUp.abort(),
    () => hungUp.abort(),
  )
  return hungUp.signal
}

/** Drops the connection without a byte of an answer. */
function fallSilent(ctx: Context): void {
  ctx.respond = false
  ctx.req.socket.destroy()
}

/** Whether a caller knows a secret; how long it takes tells nothing of it but its length. */
export function same(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
