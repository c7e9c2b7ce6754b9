import { setTimeout as sleep } from 'node:timers/promises'
import { reaisFromCents } from '../../src/domain/ledger/money.ts'
import { type ApiResponse, getUntilAnswered } from './merchant-requests.ts'
import { createOrderRequests, type ItemDestination } from './order-requests.ts'
import {
  API_PATHS,
  type OperationOf,
  type OperationOutcome,
  type StormContext,
  uuidOf,
} from './storm-context.ts'

const CLOSING_INTERVAL_MS = 2_000

type OrderedItem = ItemDestination & { value: number; external_ref: string }
/** An order that an action is about, and when it gives up. */
type BatchReference = { path: string; token: string; place: number; merchant: number }

/** What merchants do with batches of transfers in a storm. */
export function createBatchActions(scene: StormContext) {
  const { site, cast, run, outcomeOf, merchantOf, placeOfMerchant, recordRequest, skipOperation } = scene
  const { nextApiUrl: api } = site
  const { buildItemDestination, postConcurrently, readUnconfirmed } = createOrderRequests(scene)

  return { orderBatch, cancelBatch, callOffBatches }

  /** Orders a batch, under its name, and sends what another person says about it. */
  async function orderBatch(operation: OperationOf<'batch'>, place: number): Promise<OperationOutcome> {
    const { merchant, items, as, mode, shortBalance, verdict, asking } = operation
    const { token } = cast.merchants[merchant]!
    const name = `${run}-${place}`
    const key = asking.keyed ? name : null
    const options = { name, mode, on_short_balance: shortBalance }
    const orders = items.map(({ cents, to }, index) => ({
      value: reaisFromCents(cents),
      external_ref: `${name}-${index + 1}`,
      ...buildItemDestination(to, merchant),
    }))
    const path = API_PATHS.batch
    const request =
      as === 'json'
        ? { path, token, key, body: { ...options, items: orders } }
        : { path: `${path}?${new URLSearchParams(options)}`, token, key, body: buildTable(orders) }
    const mine = recordRequest({ place, kind: 'batch', merchant, key, externalRef: name })
    await postConcurrently(mine, request, asking.times)
    await readUnconfirmed(mine, { token, path })
    const uuid = uuidOf(mine)
    if (uuid && verdict) await decide(uuid, operation, place)
    return { uuid, request, record: mine }
  }

  /** Sends what another person says about a batch, twice at once; one that does not wait refuses it. */
  async function decide(
    uuid: string,
    { merchant, verdict }: OperationOf<'batch'>,
    place: number,
  ): Promise<void> {
    const mine = recordRequest({ place, kind: 'decide_batch', merchant, key: null, externalRef: null })
    const { approverToken } = cast.merchants[merchant]!
    const request = { path: `${API_PATHS.batch}/${uuid}/${verdict}`, token: approverToken, key: null }
    await postConcurrently(
      mine,
      { ...request, ...(verdict === 'reject' && { body: { reason: 'storm' } }) },
      2,
    )
  }

  async function cancelBatch(
    { batch: of }: OperationOf<'cancel_batch'>,
    place: number,
  ): Promise<OperationOutcome> {
    const { uuid } = await outcomeOf(of)
    if (!uuid) return skipOperation('cancel_batch')
    await cancel('cancel_batch', {
      path: `${API_PATHS.batch}/${uuid}`,
      place,
      merchant: placeOfMerchant(of),
      token: merchantOf(of).token,
    })
    return { uuid }
  }

  /** Requests the cancellation of a batch, or of the transfer of an item. */
  async function cancel(
    kind: 'cancel_batch' | 'cancel_transfer',
    { path, token, place, merchant }: BatchReference,
  ): Promise<void> {
    const mine = recordRequest({ place, kind, merchant, key: null, externalRef: null })
    await postConcurrently(mine, { path: `${path}/cancel`, token, key: null }, 1)
  }

  /** Cancels what still waits for balance, of batches and of the items that they have started: a storm does not last until money comes. */
  async function callOffBatches(deadlineMs: number): Promise<void> {
    await Promise.all(
      scene.operations.map(async (operation, place) => {
        if (operation.kind !== 'batch' || operation.shortBalance !== 'WAIT') return
        const { token } = merchantOf(place)
        const uuid = (await outcomeOf(place)).uuid ?? (await findUnansweredBatch(token, place))
        const path = `${API_PATHS.batch}/${uuid}`
        const batch = { path, token, place, merchant: placeOfMerchant(place) }
        while (uuid && Date.now() < deadlineMs && !(await callOff(batch))) await sleep(CLOSING_INTERVAL_MS)
      }),
    )
  }

  /** Cancels what waits for balance now; true where the batch has ended and none of its items waits, or where it does not exist. */
  async function callOff(batch: BatchReference): Promise<boolean> {
    const { path, token } = batch
    const shown = await getUntilAnswered(api, { path, token })
    if (shown?.status === 404) return true
    if (shown?.status !== 200) return false
    const { status, waiting_for } = shown.body.data
    if (waiting_for === 'insufficient_balance') await cancel('cancel_batch', batch)
    const pending = await getUntilAnswered(api, { path: `${path}/items?status=PENDING&per_page=100`, token })
    const started: string[] = (pending?.body.data ?? []).flatMap(
      (item: { transfer_uuid?: string }) => item.transfer_uuid ?? [],
    )
    for (const uuid of started)
      await cancel('cancel_transfer', { ...batch, path: `${API_PATHS.transfer}/${uuid}` })
    return (
      pending?.status === 200 && started.length === 0 && (status === 'COMPLETED' || status === 'CANCELLED')
    )
  }

  /** Finds the batch of a request that was never answered by its name; null where it made none. */
  async function findUnansweredBatch(token: string, place: number): Promise<string | null> {
    for (let path: string | null = `${API_PATHS.batch}?per_page=100`; path !== null; ) {
      const page: ApiResponse['body'] = (await getUntilAnswered(api, { path, token }))?.body
      const found = page?.data.find(({ name }: { name?: string }) => name === `${run}-${place}`)
      if (found) return found.uuid
      const cursor: string | null = page?.meta.next_cursor ?? null
      path = cursor === null ? null : `${API_PATHS.batch}?per_page=100&cursor=${cursor}`
    }
    return null
  }
}

/** Writes items as the table that a Brazilian spreadsheet saves. */
function buildTable(items: OrderedItem[]): string {
  const rows = items.map(item => {
    const { value, external_ref: reference } = item
    const {
      name = '',
      document = '',
      bank_code = '',
      agency = '',
      account = '',
    } = 'receiver' in item ? item.receiver : {}
    const key = 'pix_key' in item ? item.pix_key : ''
    const type = key === '' ? 'corrente' : ''
    return [
      value.toFixed(2).replace('.', ','),
      reference,
      key,
      document,
      name,
      bank_code,
      agency,
      account,
      type,
    ]
  })
  const heading = 'valor;referencia;chave_pix;documento;nome;banco;agencia;conta;tipo_conta'
  return ['\uFEFF'.concat(heading), ...rows.map(row => row.join(';'))].join('\r\n')
}

/** The body of a batch with another content, for a request under a key that is used. */
export function changeBatchBody(body: string | { name?: string }): string | object {
  return typeof body === 'string'
    ? body.replace(/\r\n(\d+),/, (_, reais) => `\r\n${Number(reais) + 1},`)
    : { ...body, name: `${body.name} changed` }
}
