import { timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import type Router from '@koa/router'
import type { Context } from 'koa'
import type { ProviderName } from '../../domain/provider.ts'
import type { Account } from '../accounts.ts'
import { type Answer, type Call, type CallRoute, type FailureWords, played } from '../calls.ts'
import type { CallFault, Taken, ViewFault } from '../faults.ts'
import { bodyText } from '../route.ts'
import { distorted, oddItemId, oddItemOf, PLAIN_VIEW, type View } from '../views.ts'
import type { World } from '../world.ts'

type Method = 'get' | 'put' | 'post' | 'patch' | 'delete'
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
      const { account } = admission
      const given = { account, params, query: ctx.URL.searchParams, body }
      const fault =
        world.faults.takeForCall({ provider, id: account.id }, route.operation) ??
        route.magicOf?.({ ...given, view: PLAIN_VIEW }) ??
        null
      const viewFault = fault ? null : world.faults.takeForView({ provider, id: account.id }, route.operation)
      const viewing = viewingUnder(viewFault, world)
      const call: Call = { ...given, view: viewing.view }
      const answer = await played({
        fault,
        act: fate => route.act(call, fate),
        words: dialect.words,
        operation: route.operation,
        pace: world.pace,
        turn: () => world.store.count('unlisted refusal') - 1,
        gone: () => goneSignal(ctx, world.stopping),
      })
      const shown = answer && viewing.shown(answer)
      const itemId = shown === answer ? null : viewing.itemId
      const served = shown !== answer ? viewFault : fault && UNLISTED.has(fault.fault) ? fault : null
      if (served)
        world.faults.recordServed({
          ...{ accountId: account.id, operation: route.operation, fault: served.fault, itemId },
        })
      if (shown) say(ctx, shown)
      else fallSilent(ctx)
    })
  }
}

/** Faults whose answers no documentation names. */
const UNLISTED: ReadonlySet<CallFault> = new Set([
  'done_then_unlisted_refusal',
  'unlisted_refusal',
  'unknown_route',
])

type Viewing = { view: View; itemId: string | null; shown(answer: Answer): Answer }

/** How a call's answer is shown under a fault of the view; an answer that it changes is another object. */
function viewingUnder(fault: Taken<ViewFault> | null, { store }: World): Viewing {
  if (fault === null) return { view: PLAIN_VIEW, itemId: null, shown: answer => answer }
  if (fault.fault === 'page_cap') {
    const pageSize = fault.pageSize ?? PAGE_CAP
    return { view: { ...PLAIN_VIEW, pageSize }, itemId: null, shown: answer => answer }
  }
  const { fault: kind } = fault
  const turn = store.count(kind) - 1
  const itemId = oddItemId(turn)
  const oddItem = oddItemOf(itemId)
  return {
    view: kind === 'odd_item' ? { ...PLAIN_VIEW, oddItem } : PLAIN_VIEW,
    itemId: kind === 'odd_item' ? itemId : null,
    shown: answer => {
      if (answer.status >= 300) return answer
      if (kind === 'odd_item' && JSON.stringify(answer.body).includes(itemId)) return { ...answer }
      const body = distorted(kind, answer.body, { turn, oddItem })
      return body === null ? answer : { ...answer, body }
    },
  }
}

/** Items of a page where the fault names no number. */
const PAGE_CAP = 50

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
  ctx.type = isProblem(body) ? 'application/problem+json' : 'application/json'
  ctx.set(headers)
  ctx.body = body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body)
  if (headers['content-type']) ctx.set('content-type', headers['content-type']) // Koa chooses one with the body.
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
