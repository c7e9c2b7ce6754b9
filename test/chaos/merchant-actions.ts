import { setTimeout as sleep } from 'node:timers/promises'
import { reaisFromCents } from '../../src/domain/ledger/money.ts'
import { changeBatchBody, createBatchActions } from './batch-actions.ts'
import { runInBatches } from './batches.ts'
import { buildDueMembers, createDueActions } from './due-actions.ts'
import { getUntilAnswered, postUntilAnswered, type RequestRecord } from './merchant-requests.ts'
import type { Repetition, TransferRecipient } from './operations.ts'
import { createOrderRequests } from './order-requests.ts'
import type { Merchant } from './participants.ts'
import { API_VISIBILITIES } from './provider-visibility.ts'
import {
  API_PATHS,
  NO_OUTCOME,
  nullIfRefused,
  type OperationOf,
  type OperationOutcome,
  type StormContext,
  uuidOf,
} from './storm-context.ts'

/** Below that of transfers, where a transfer does not go to a key. */
const TRANSFER_PATHS: Partial<Record<TransferRecipient['kind'], string>> = {
  account: '/bank-accounts',
  code: '/qr-codes',
}

const CLOSING_INTERVAL_MS = 600
/** Longer than any charge of a storm is open. What has not ended by then is reported as never at rest. */
const CLOSING_LIMIT_MS = 420_000

/** What merchants do in a storm: each request as the contract describes it, repeated under its key until it is answered. */
export function createMerchantActions(scene: StormContext) {
  const {
    site,
    cast,
    run,
    outcomeOf,
    merchantOf,
    placeOfMerchant,
    connectionOf,
    recordRequest: note,
    skipOperation: nothing,
    waitForResource: when,
  } = scene
  const { nextApiUrl: api } = site
  const { buildDestination, postConcurrently, readUnconfirmed } = createOrderRequests(scene)
  const { callOffBatches, ...batches } = createBatchActions(scene)

  return {
    ...batches,
    ...createDueActions(scene),
    charge,
    transfer,
    refund,
    cancelCharge,
    cancelTransfer,
    returnDeposit,
    reply,
    repeat,
    callOff,
    closeShop,
  }

  function charge(operation: OperationOf<'charge'>, place: number): Promise<OperationOutcome> {
    const body = {
      value: reaisFromCents(operation.cents),
      type: 'PIX',
      external_ref: `${run}-${place}`,
      ...(operation.due ? buildDueMembers(operation.due) : { expires_in: operation.expiresInS }),
      splits: operation.splits.map(({ type, amount, recipient }) => ({
        type,
        value: reaisFromCents(amount),
        recipient_account_uuid: cast.recipients[recipient]!.uuid,
      })),
    }
    const merchant = cast.merchants[operation.merchant]!
    const token = operation.bound ? merchant.boundToken : merchant.token
    return create('charge', { ...operation, place, token, body })
  }

  async function transfer(operation: OperationOf<'transfer'>, place: number): Promise<OperationOutcome> {
    const { to, scheduledInS, merchant, lookUp } = operation
    const destination = buildDestination(to, merchant)
    const lookupUuid = lookUp && 'pix_key' in destination && (await lookUpKey(place, destination.pix_key))
    const body = {
      // A code has its own value, but for one that leaves it to the payer.
      ...((to.kind !== 'code' || to.name === 'open') && { value: reaisFromCents(operation.cents) }),
      ...destination,
      ...(lookupUuid && { lookup_uuid: lookupUuid, on_mismatch: lookUp }),
      external_ref: `${run}-${place}`,
      ...(scheduledInS !== null && {
        scheduled_for: new Date(Date.now() + scheduledInS * 1_000).toISOString(),
      }),
    }
    const path = `${API_PATHS.transfer}${TRANSFER_PATHS[to.kind] ?? ''}`
    const token = cast.merchants[merchant]!.token
    const outcome = await create('transfer', { ...operation, place, token, body, path })
    if (outcome.uuid && operation.verdict) await decide(outcome.uuid, operation, place)
    return outcome
  }

  /** Sends what another person says about a transfer, twice at once; one that does not wait refuses it. */
  async function decide(
    uuid: string,
    { merchant, verdict }: OperationOf<'transfer'>,
    place: number,
  ): Promise<void> {
    const mine = note({ place, kind: 'decide_transfer', merchant, key: null, externalRef: null })
    const token = cast.merchants[merchant]!.approverToken
    const body = verdict === 'reject' ? { reason: 'storm' } : undefined
    const request = { path: `${API_PATHS.transfer}/${uuid}/${verdict}`, token, key: null }
    await postConcurrently(mine, body ? { ...request, body } : request, 2)
  }

  /** Looks a key up once; null where no owner was shown: the transfer is then made without, as a merchant may. */
  async function lookUpKey(place: number, pixKey: string): Promise<string | null> {
    const { token } = merchantOf(place)
    const mine = note({
      place,
      kind: 'look_up',
      merchant: placeOfMerchant(place),
      key: null,
      externalRef: null,
    })
    const request = { path: API_PATHS.lookup, token, key: null, body: { pix_key: pixKey } }
    const said = await postUntilAnswered(api, mine, request)
    return said?.status === 200 ? said.body.data.uuid : null
  }

  type Creation = {
    place: number
    merchant: number
    asking: Repetition
    token: string
    body: { external_ref: string }
    /** Of the request, where it is not that of the resource. */
    path?: string | undefined
  }

  async function create(kind: 'charge' | 'transfer', creation: Creation): Promise<OperationOutcome> {
    const { place, merchant, asking, token, body, path = API_PATHS[kind] } = creation
    const key = asking.keyed ? `${run}-${place}` : null
    const request = { path, token, key, body }
    const mine = note({ place, kind, merchant, key, externalRef: body.external_ref })
    await postConcurrently(mine, request, asking.times)
    await readUnconfirmed(mine, { token, path: API_PATHS[kind] })
    return { uuid: uuidOf(mine), request, record: mine }
  }

  async function refund(
    { charge: of, shares, asking }: OperationOf<'refund'>,
    place: number,
  ): Promise<OperationOutcome> {
    const { uuid } = await outcomeOf(of)
    const merchant = merchantOf(of)
    const shown = uuid && (await when(merchant, `${API_PATHS.charge}/${uuid}`, isRefundable))
    if (!shown) return nothing('refund')
    const refunds = await Promise.all(
      shares.map(async (share, index) => {
        const key = asking.keyed ? `${run}-${place}-${index}` : null
        const cents = Math.max(1, Math.floor((Math.round(shown.total_value * 100) * (share ?? 0)) / 100))
        const body = share === null ? {} : { value: reaisFromCents(cents) }
        const request = { path: `${API_PATHS.charge}/${uuid}/refund`, token: merchant.token, key, body }
        const mine = note({ place, kind: 'refund', merchant: placeOfMerchant(of), key, externalRef: null })
        await postConcurrently(mine, request, asking.times)
        await readUnconfirmed(mine, { token: merchant.token, path: `${API_PATHS.charge}/${uuid}/refunds` })
        return { uuid: uuidOf(mine), request, record: mine }
      }),
    )
    return refunds[0]!
  }

  function cancelCharge(
    { charge: of, times }: OperationOf<'cancel_charge'>,
    place: number,
  ): Promise<OperationOutcome> {
    return cancel('cancel_charge', { place, of, times, path: API_PATHS.charge })
  }

  function cancelTransfer(
    { transfer: of }: OperationOf<'cancel_transfer'>,
    place: number,
  ): Promise<OperationOutcome> {
    return cancel('cancel_transfer', { place, of, times: 1, path: API_PATHS.transfer })
  }

  type Cancelling = { place: number; of: number; times: number; path: string }

  async function cancel(
    kind: 'cancel_charge' | 'cancel_transfer',
    { place, of, times, path }: Cancelling,
  ): Promise<OperationOutcome> {
    const { uuid } = await outcomeOf(of)
    if (!uuid) return nothing(kind)
    await sendCancellation(kind, { place, of, times, path: `${path}/${uuid}` })
    return { uuid }
  }

  /** Requests the cancellation of the charge or transfer at this path. */
  async function sendCancellation(
    kind: 'cancel_charge' | 'cancel_transfer',
    { place, of, times, path }: Cancelling,
  ): Promise<void> {
    const { token } = merchantOf(of)
    const mine = note({ place, kind, merchant: placeOfMerchant(of), key: null, externalRef: null })
    await postConcurrently(mine, { path: `${path}/cancel`, token, key: null }, times)
  }

  async function returnDeposit(
    { deposit: of, times }: OperationOf<'return_deposit'>,
    place: number,
  ): Promise<OperationOutcome> {
    const { deposit } = await outcomeOf(of)
    if (!deposit) return nothing('return_deposit')
    const merchant = merchantOf(of)
    const path = `${API_PATHS.ledger}?end_to_end=${deposit.endToEnd}`
    const lines = await when(merchant, path, found => found.length > 0)
    if (!lines) return nothing('return_deposit')
    const { uuid } = lines.at(-1)
    const key = `${run}-${place}`
    const request = { path: `${API_PATHS.deposit}/${uuid}/return`, token: merchant.token, key }
    const merchantPlace = placeOfMerchant(of)
    const mine = note({ place, kind: 'return_deposit', merchant: merchantPlace, key, externalRef: null })
    await postConcurrently(mine, request, times)
    return { uuid }
  }

  async function reply(
    { dispute: of, accept, proof, times }: OperationOf<'reply'>,
    place: number,
  ): Promise<OperationOutcome> {
    const { dispute } = await outcomeOf(of)
    if (!dispute) return nothing('reply')
    const merchant = merchantOf(dispute.about)
    const isIt = (med: { pix_in_transaction: { end_to_end: string } }) =>
      med.pix_in_transaction.end_to_end === dispute.endToEnd
    const listed = await when(merchant, `${API_PATHS.dispute}?per_page=100`, meds => meds.some(isIt))
    if (!listed) return nothing('reply')
    const { uuid } = listed.find(isIt)
    const key = `${run}-${place}`
    const body = new FormData()
    body.set('accept', accept ? '1' : '0')
    body.set('analysis', `Storm ${run}, dispute ${of}`)
    if (proof) body.set('attachments[0][file]', new Blob(['%PDF-1.7\n%%EOF']), 'proof.pdf')
    const request = { path: `${API_PATHS.dispute}/${uuid}/reply`, token: merchant.token, key, body }
    const merchantPlace = placeOfMerchant(dispute.about)
    const mine = note({ place, kind: 'reply', merchant: merchantPlace, key, externalRef: null })
    await postConcurrently(mine, request, times)
    return { uuid }
  }

  async function repeat({ of, body }: OperationOf<'repeat'>): Promise<OperationOutcome> {
    const { request, record: mine } = await outcomeOf(of)
    if (!request || !mine) return nothing('repeat')
    if (body === 'same') await postUntilAnswered(api, mine, request)
    else if (mayBeFree(mine)) return nothing('repeat')
    else if (mine.kind === 'batch')
      await postUntilAnswered(
        api,
        mine,
        { ...request, body: changeBatchBody(request.body as string) },
        'other',
      )
    else {
      const { value = 0, ...rest } = request.body as { value?: number }
      const other = { ...rest, value: reaisFromCents(Math.round(value * 100) + 1) }
      await postUntilAnswered(api, mine, { ...request, body: other }, 'other')
    }
    return NO_OUTCOME
  }

  /** Cancels the scheduled transfers and the batches that still wait for balance: a storm does not last a day of attempts. */
  async function callOff(): Promise<void> {
    const deadline = Date.now() + CLOSING_LIMIT_MS
    const batchesEnded = callOffBatches(deadline)
    await Promise.all(
      scene.operations.map(async (operation, place) => {
        if (operation.kind !== 'transfer' || operation.scheduledInS === null) return
        const merchant = merchantOf(place)
        const uuid = (await outcomeOf(place)).uuid ?? (await findUnansweredTransfer(merchant, place))
        const path = `${API_PATHS.transfer}/${uuid}`
        const isEnded = () => when(merchant, path, shown => shown.status !== 'PENDING')
        // A transfer whose creation was not confirmed may not exist.
        const exists = async () =>
          (await getUntilAnswered(api, { path, token: merchant.token }))?.status !== 404
        while (uuid && Date.now() < deadline && !(await isEnded()) && (await exists()))
          await sendCancellation('cancel_transfer', { place, of: place, times: 1, path })
      }),
    )
    await batchesEnded
  }

  /** Finds the transfer of a request that was never answered by its external reference; null where it made none. */
  async function findUnansweredTransfer({ token }: Merchant, place: number): Promise<string | null> {
    const path = `${API_PATHS.transfer}?external_ref=${run}-${place}`
    const [transfer] = (await getUntilAnswered(api, { path, token }))?.body.data ?? []
    return transfer?.uuid ?? null
  }

  /**
   * Cancels the charges of this run that will not be paid any more, also those whose creation was never answered, so that
   * the storm does not wait minutes for their expiry; those that their provider cannot cancel are paid. One that is being
   * issued, or whose provider is slow, cannot be cancelled yet. Charges of other runs are left to these: concurrent runs
   * of a slow machine would wait for each other.
   */
  async function closeShop(): Promise<void> {
    await Promise.all(cast.merchants.map(closeShopOf))
  }

  async function closeShopOf({ token }: Merchant): Promise<void> {
    const listOpen = async (status: 'PENDING' | 'UNDEFINED') => {
      const path = `${API_PATHS.charge}?status=${status}&per_page=100`
      const answer = await getUntilAnswered(api, { path, token })
      const open: OpenCharge[] = answer?.body.data ?? []
      return open.filter(
        ({ external_ref: ref }) => ref.startsWith(`${run}-`) && /^\d+$/.test(ref.slice(run.length + 1)),
      )
    }
    for (const deadline = Date.now() + CLOSING_LIMIT_MS; Date.now() < deadline; ) {
      const [issuing, pending] = [await listOpen('UNDEFINED'), await listOpen('PENDING')]
      if (issuing.length + pending.length === 0) return
      await runInBatches(pending, async charge => {
        const { uuid, external_ref } = charge
        const { payload, due } = charge.payment
        if (!due && !API_VISIBILITIES[connectionOf(charge).api].cancelsCharges) {
          await nullIfRefused(site.simulator.pay({ payload, ...(charge.value === 0 && { value: 1 }) }))
          return
        }
        const place = Number(external_ref.slice(run.length + 1))
        const path = `${API_PATHS.charge}/${uuid}`
        await sendCancellation('cancel_charge', { place, of: place, times: 1, path })
      })
      await sleep(CLOSING_INTERVAL_MS)
    }
  }
}

/** Whether another request may have the key of this one: it was refused. */
function mayBeFree(mine: RequestRecord): boolean {
  // Refusals of a change name its charge as well.
  return mine.kind === 'revise_charge'
    ? !mine.answers.some(({ status }) => status === 200)
    : uuidOf(mine) === null
}

type OpenCharge = {
  uuid: string
  external_ref: string
  value: number
  provider: { uuid: string }
  payment: { payload: string; due?: object }
}

function isRefundable({ status }: { status: string }): boolean {
  return status === 'PAID' || status === 'PARTIALLY_REFUNDED'
}
