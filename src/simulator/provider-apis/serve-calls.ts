import { timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import type Router from '@koa/router'
import type { Context } from 'koa'
import type { ProviderName } from '../../domain/providers/provider.ts'
import type { SimulatedAccount } from '../accounts.ts'
import type { CallFault, ConsumedFault, ViewFault } from '../faults.ts'
import {
  type FailureResponses,
  respondUnderFault,
  type SimulatedCall,
  type SimulatedCallRoute,
  type SimulatedResponse,
} from '../provider-calls.ts'
import { readBodyText } from '../request.ts'
import type { SimulatorState } from '../state.ts'
import { buildOddItem, buildOddItemId, distortBody, type ListView, PLAIN_VIEW } from '../view-faults.ts'

type HttpMethod = 'get' | 'put' | 'post' | 'patch' | 'delete'
export type ProviderApiRoute = [method: HttpMethod, path: string, route: SimulatedCallRoute]

/** What a dialect brings; how its calls are answered, faults included, is the same for all. */
export type ProviderApiDefinition = {
  routes: ProviderApiRoute[]
  /** Whose call it is, or the refusal of a call that is nobody's. */
  authenticate(ctx: Context): { account: SimulatedAccount } | { refusal: SimulatedResponse }
  failures: FailureResponses
  malformedJson(): SimulatedResponse
}

/** Serves a dialect's calls on one provider's port. */
export function serveProviderApi(
  router: Router,
  world: SimulatorState,
  provider: ProviderName,
  dialect: ProviderApiDefinition,
): void {
  for (const [method, path, route] of dialect.routes) {
    router.register(path, [method], async ctx => {
      const admission = dialect.authenticate(ctx)
      if ('refusal' in admission) return sendProviderResponse(ctx, admission.refusal)
      const body = await (route.readBody ?? readProviderJson)(ctx)
      if (body === MALFORMED_JSON) return sendProviderResponse(ctx, dialect.malformedJson())
      const params = ctx.params as Record<string, string>
      const { account } = admission
      const given = { account, params, query: ctx.URL.searchParams, body }
      const fault =
        world.faults.consumeForCall({ provider, id: account.id }, route.operation) ??
        route.findMagicFault?.({ ...given, view: PLAIN_VIEW }) ??
        null
      const viewFault = fault
        ? null
        : world.faults.consumeForView({ provider, id: account.id }, route.operation)
      const viewing = buildViewFaultEffect(viewFault, world)
      const call: SimulatedCall = { ...given, view: viewing.view }
      const answer = await respondUnderFault({
        fault,
        handle: fate => route.handle(call, fate),
        failures: dialect.failures,
        operation: route.operation,
        scaleWaitMs: world.scaleWaitMs,
        nextIndex: () => world.store.nextCount('unlisted refusal') - 1,
        abortSignal: () => abortOnDisconnect(ctx, world.stopping),
      })
      const shown = answer && viewing.apply(answer)
      const itemId = shown === answer ? null : viewing.itemId
      const served =
        shown !== answer ? viewFault : fault && UNLISTED_ANSWER_FAULTS.has(fault.fault) ? fault : null
      if (served)
        world.faults.recordServed({
          ...{ accountId: account.id, operation: route.operation, fault: served.fault, itemId },
        })
      if (shown) sendProviderResponse(ctx, shown)
      else dropConnection(ctx)
    })
  }
}

/** Faults whose answers no documentation names. */
const UNLISTED_ANSWER_FAULTS: ReadonlySet<CallFault> = new Set([
  'done_then_unlisted_refusal',
  'unlisted_refusal',
  'unknown_route',
])

type ViewFaultEffect = {
  view: ListView
  itemId: string | null
  apply(answer: SimulatedResponse): SimulatedResponse
}

/** How a call's answer is shown under a fault of the view; an answer that it changes is another object. */
function buildViewFaultEffect(
  fault: ConsumedFault<ViewFault> | null,
  { store }: SimulatorState,
): ViewFaultEffect {
  if (fault === null) return { view: PLAIN_VIEW, itemId: null, apply: answer => answer }
  if (fault.fault === 'page_cap') {
    const pageSize = fault.pageSize ?? DEFAULT_PAGE_CAP
    return { view: { ...PLAIN_VIEW, pageSize }, itemId: null, apply: answer => answer }
  }
  const { fault: kind } = fault
  const turn = store.nextCount(kind) - 1
  const itemId = buildOddItemId(turn)
  const oddItem = buildOddItem(itemId)
  return {
    view: kind === 'odd_item' ? { ...PLAIN_VIEW, oddItem } : PLAIN_VIEW,
    itemId: kind === 'odd_item' ? itemId : null,
    apply: answer => {
      if (answer.status >= 300) return answer
      if (kind === 'odd_item' && JSON.stringify(answer.body).includes(itemId)) return { ...answer }
      const body = distortBody(kind, answer.body, { turn, oddItem })
      return body === null ? answer : { ...answer, body }
    },
  }
}

/** Items of a page where the fault names no number. */
const DEFAULT_PAGE_CAP = 50

export const MALFORMED_JSON = Symbol('malformed')

/** A body's JSON, `{}` where there is none. */
export async function readProviderJson(ctx: Context): Promise<unknown> {
  const body = await readBodyText(ctx)
  if (body === '') return {}
  try {
    return JSON.parse(body) as unknown
  } catch {
    return MALFORMED_JSON
  }
}

export function sendProviderResponse(ctx: Context, { status, body, headers = {} }: SimulatedResponse): void {
  ctx.status = status
  ctx.type = isProblemDocument(body) ? 'application/problem+json' : 'application/json'
  ctx.set(headers)
  const isWritten = typeof body === 'string' || Buffer.isBuffer(body)
  ctx.body = body === undefined ? null : isWritten ? body : JSON.stringify(body)
  if (headers['content-type']) ctx.set('content-type', headers['content-type']) // Koa chooses one with the body.
  // Koa makes 204 of an empty body; the status is the provider's to choose.
  ctx.status = status
}

function isProblemDocument(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'type' in body && 'title' in body
}

/** Aborted when the caller hangs up or the simulator stops. */
function abortOnDisconnect(ctx: Context, stopping: AbortSignal): AbortSignal {
  const hungUp = new AbortController()
  once(ctx.res, 'close', { signal: stopping }).then(
    () => hungUp.abort(),
    () => hungUp.abort(),
  )
  return hungUp.signal
}

/** Drops the connection without a byte of an answer. */
function dropConnection(ctx: Context): void {
  ctx.respond = false
  ctx.req.socket.destroy()
}

/** Whether a caller knows a secret; how long it takes tells nothing of it but its length. */
export function isSameSecret(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
