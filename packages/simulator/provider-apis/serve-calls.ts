import { timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import type Router from '@koa/router'
import type { Context } from 'koa'
import type { ProviderName } from '../../../src/domain/providers/provider.ts'
import type { SimulatedAccount } from '../accounts.ts'
import type { CallFault, ConsumedFault, ViewFault } from '../faults.ts'
import {
  type FailureResponses,
  listCallOperations,
  respondUnderFault,
  type SimulatedCall,
  type SimulatedCallRoute,
  type SimulatedResponse,
} from '../provider-calls.ts'
import { readBodyText } from '../request.ts'
import type { SimulatorState } from '../state.ts'
import {
  buildUnlistedItem,
  buildUnlistedItemId,
  distortBody,
  type ListView,
  UNCHANGED_VIEW,
} from '../view-faults.ts'

type HttpMethod = 'get' | 'put' | 'post' | 'patch' | 'delete'
export type ProviderApiRoute = [method: HttpMethod, path: string, route: SimulatedCallRoute]

/** The account of a call, or the refusal of a call without valid credentials. */
export type Authentication = { account: SimulatedAccount } | { refusal: SimulatedResponse }

/** A simulated provider API; all are served alike, faults included. */
export type ProviderApiDefinition = {
  routes: ProviderApiRoute[]
  /** Finds the account of a call, or builds the refusal of a call without valid credentials. */
  authenticate(ctx: Context): Authentication | Promise<Authentication>
  failures: FailureResponses
  malformedJson(): SimulatedResponse
}

/** Serves the calls of a provider API on one provider's port. */
export function serveProviderApi(
  router: Router,
  state: SimulatorState,
  provider: ProviderName,
  api: ProviderApiDefinition,
): void {
  for (const [method, path, route] of api.routes) {
    router.register(path, [method], async ctx => {
      const authentication = await api.authenticate(ctx)
      if ('refusal' in authentication) return sendProviderResponse(ctx, authentication.refusal)
      const body = await (route.readBody ?? readProviderJson)(ctx)
      if (body === MALFORMED_JSON) return sendProviderResponse(ctx, api.malformedJson())
      const params = ctx.params as Record<string, string>
      const { account } = authentication
      const request = { account, params, query: ctx.URL.searchParams, body }
      const operations = listCallOperations(route, request)
      const consumeFault = route.isLookUp ? state.faults.consumeForLookUp : state.faults.consumeForCall
      const fault =
        consumeFault({ provider, id: account.id }, operations) ??
        route.findMagicFault?.({ ...request, view: UNCHANGED_VIEW }) ??
        null
      const viewFault = fault ? null : state.faults.consumeForView({ provider, id: account.id }, operations)
      const viewEffect = buildViewFaultEffect(viewFault, state)
      const call: SimulatedCall = { ...request, view: viewEffect.view }
      const response = await respondUnderFault({
        fault,
        handle: outcome => route.handle(call, outcome),
        failures: api.failures,
        operation: operations[0],
        scaleWaitMs: state.scaleWaitMs,
        nextIndex: () => state.store.nextCount('unlisted refusal') - 1,
        abortSignal: () => abortOnDisconnect(ctx, state.stopping),
      })
      const changedResponse = response && viewEffect.apply(response)
      const isChanged = changedResponse !== response
      const callFault = fault && UNLISTED_ANSWER_FAULTS.has(fault.fault) ? fault : null
      const servedFault = isChanged ? findUndocumentedFault(viewFault) : callFault
      if (servedFault)
        state.faults.recordServed({
          accountId: account.id,
          operation: operations[0],
          fault: servedFault.fault,
          itemId: isChanged ? viewEffect.itemId : null,
        })
      if (changedResponse) sendProviderResponse(ctx, changedResponse)
      else closeConnection(ctx)
    })
  }
}

/** Faults whose answers are undocumented. */
const UNLISTED_ANSWER_FAULTS: ReadonlySet<CallFault> = new Set([
  'done_then_unlisted_refusal',
  'unlisted_refusal',
  'unknown_route',
])

/** A response under `other_status` is documented. */
function findUndocumentedFault(fault: ConsumedFault<ViewFault> | null): ConsumedFault<ViewFault> | null {
  return fault?.fault === 'other_status' ? null : fault
}

type ViewFaultEffect = {
  view: ListView
  itemId: string | null
  /** Returns the same object if the fault changes nothing, otherwise another one. */
  apply(response: SimulatedResponse): SimulatedResponse
}

/** Builds the effect of a view fault on a call's list and response. */
function buildViewFaultEffect(
  fault: ConsumedFault<ViewFault> | null,
  { store }: SimulatorState,
): ViewFaultEffect {
  if (fault === null) return { view: UNCHANGED_VIEW, itemId: null, apply: response => response }
  if (fault.fault === 'page_cap') {
    const pageSize = fault.pageSize ?? DEFAULT_PAGE_CAP
    return { view: { ...UNCHANGED_VIEW, pageSize }, itemId: null, apply: response => response }
  }
  const { fault: kind } = fault
  const index = store.nextCount(kind) - 1
  const itemId = buildUnlistedItemId(index)
  const unlistedItem = buildUnlistedItem(itemId)
  return {
    view: kind === 'odd_item' ? { ...UNCHANGED_VIEW, unlistedItem } : UNCHANGED_VIEW,
    itemId: kind === 'odd_item' ? itemId : null,
    apply: response => {
      if (response.status >= 300) return response
      // The list handler has added the item already.
      if (kind === 'odd_item' && JSON.stringify(response.body).includes(itemId)) return { ...response }
      const body = distortBody(kind, response.body, { index, unlistedItem })
      return body === null ? response : { ...response, body }
    },
  }
}

/** Items per page of a `page_cap` without `page_size`. */
const DEFAULT_PAGE_CAP = 50

export const MALFORMED_JSON = Symbol('malformed')

/** Parses a body as JSON: `{}` for an empty one, MALFORMED_JSON for other text. */
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
  // Setting the body makes Koa choose a content type, and the status 204 for an empty body.
  if (headers['content-type']) ctx.set('content-type', headers['content-type'])
  ctx.status = status
}

function isProblemDocument(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'type' in body && 'title' in body
}

/** Creates a signal that is aborted when the caller disconnects or the simulator stops. */
export function abortOnDisconnect(ctx: Context, stopping: AbortSignal): AbortSignal {
  const controller = new AbortController()
  once(ctx.res, 'close', { signal: stopping }).then(
    () => controller.abort(),
    () => controller.abort(),
  )
  return controller.signal
}

/** Closes the connection without an answer. */
export function closeConnection(ctx: Context): void {
  ctx.respond = false
  ctx.req.socket.destroy()
}

/** Compares secrets; the time reveals only whether their lengths are equal. */
export function isSameSecret(secret: string, guess: string): boolean {
  const [a, b] = [Buffer.from(secret), Buffer.from(guess)]
  return a.length === b.length && timingSafeEqual(a, b)
}
