import { setTimeout } from 'node:timers/promises'
import { isDocument } from '../../domain/pix/document.ts'
import type { Party } from '../../domain/pix/party.ts'
import { normalizePixKey } from '../../domain/pix-keys/key-format.ts'
import type {
  FindPayoutOutcome,
  NoAnswerResult,
  PayoutHandle,
  PayoutReturn,
  PreparePayoutOutcome,
  ProviderPayout,
  ProviderTransferRequest,
  SendPayoutOutcome,
} from '../../domain/providers/provider.ts'
import { DAY } from '../../domain/shared/intervals.ts'
import {
  type TransferDestination,
  toDestinationColumns,
} from '../../domain/transfers/transfer-destination.ts'
import { checkKeyOwner } from '../adapter/key-owner.ts'
import { rejectFailedAcceptance, rejectForThisProvider } from '../adapter/outcomes.ts'
import { codeUnsupported } from '../adapter/unsupported-calls.ts'
import { encodePath } from '../http/client.ts'
import type { TransferCalls } from '../port.ts'
import type { StarkClient } from './client.ts'
import { STARK_LISTS } from './lists.ts'
import { hasTag, mapKeyOwner, mapStarkTransfer, toPlainDocument, toTransactionName } from './mapping.ts'
import {
  oneCreatedStarkEntity,
  oneStarkEntity,
  type StarkTransfer,
  type StarkVerifiedAccount,
  starkDictKeySchema,
  starkTransactionSchema,
  starkTransferSchema,
  starkVerifiedAccountRequestSchema,
  starkVerifiedAccountSchema,
  starkVerifiedTransferRequestSchema,
} from './schemas.ts'

/** How long a verified account is used for the transfer that it was made for: the key may move to another owner. */
const ACCOUNT_VALIDITY_MS = DAY
/** Waits before each look-up of an account that is not active yet, in ms. */
const ACCOUNT_POLLS_MS = [200, 400, 700, 1_100, 1_600]

const createdTransferSchema = oneCreatedStarkEntity('transfers', starkTransferSchema)

function buildTransferRequest({ id, cents, message }: ProviderTransferRequest, { ref }: PayoutHandle) {
  const transfer = {
    amount: cents,
    accountId: ref,
    externalId: id,
    tags: [id],
    displayDescription: message?.slice(0, 140),
  }
  const json = starkVerifiedTransferRequestSchema.parse({ transfers: [transfer] })
  const request = { reference: id, method: 'POST', path: '/v2/verified-transfer', json } as const
  return { ...request, hasOwnConnection: true }
}

/** Reads a created transfer; undefined where it is not the one that was ordered. */
function readSent(sent: StarkTransfer, { id, cents }: ProviderTransferRequest, { ref }: PayoutHandle) {
  const isOrdered = isOwnTransfer(sent, id) && sent.amount === cents && (sent.accountId ?? ref) === ref
  return isOrdered ? { payout: mapStarkTransfer(sent) } : undefined
}

/**
 * Creates the calls about transfers. A transfer goes to a verified account, which Stark Bank makes of a key and the document of
 * its owner, or of an account at a bank, and is known by our `externalId`, unique among all transfers, and our tag. A list without it proves nothing; the same
 * order sent again makes no second transfer ("Duplicated external_ids will cause failures").
 */
export function createStarkTransfers(client: StarkClient, now: () => number): TransferCalls {
  return {
    async prepareTransfer(order, preparation): Promise<PreparePayoutOutcome> {
      const existing = preparation?.isFirst ? NO_ACCOUNT : await findExistingAccount(order)
      if (existing.kind === 'no_answer') return existing
      const made = existing.kind === 'found' ? existing : await createAccount(order)
      if (made.kind !== 'found') return made
      const account = await waitUntilActive(order, made.account)
      if (account.kind === 'no_answer') return account
      switch (account.status) {
        case 'active': {
          const owner = { name: account.name, taxId: account.taxId, bankName: account.bankName, ispb: null }
          const handle = {
            ref: account.id,
            receiver: mapKeyOwner(made.owner ?? owner),
            expiresAt: new Date(now() + ACCOUNT_VALIDITY_MS).toISOString(),
          }
          return { kind: 'prepared', handle }
        }
        case 'failed':
        case 'canceled':
          return (await explainFailure(order)) ?? accountNotVerified
        default:
          return accountNotActive
      }
    },

    async sendTransfer(order, handle): Promise<SendPayoutOutcome> {
      if (!handle) return notPrepared
      const request = { ...buildTransferRequest(order, handle), call: 'sendTransfer' } as const
      const outcome = await client.send(request, createdTransferSchema, sent => readSent(sent, order, handle))
      return rejectFailedAcceptance(outcome)
    },

    /** Looks a transfer up by our tag; where none is listed and `order` is given, sends the same order again. */
    async findTransfer({ id, handle, order }): Promise<FindPayoutOutcome> {
      const call = { call: 'findTransfer', reference: id } as const
      const list = await client.readAllPages({
        ...call,
        ...STARK_LISTS.transfers,
        filter: { tags: id },
      })
      if (list.kind === 'no_answer') return list
      const [transfer, second] = list.items.filter(listed => isOwnTransfer(listed, id))
      const isEmpty = list.items.length === 0 && list.unreadableItems.length === 0
      if (isEmpty && order && handle) return repeatTransfer(order, handle)
      if (!transfer || second) return transferNotListed
      if (transfer.status === 'created') return waitsForApproval(transfer)
      const payout = mapStarkTransfer(transfer)
      if (payout.status !== 'settled') return { kind: 'found', payout }
      return { kind: 'found', payout: await addReturn(transfer, payout) }
    },
  }

  /** Sends the same order again under the same `externalId`: what refuses the repeat says nothing of the sending before it. */
  async function repeatTransfer(
    order: ProviderTransferRequest,
    handle: PayoutHandle,
  ): Promise<FindPayoutOutcome> {
    const request = { ...buildTransferRequest(order, handle), call: 'findTransfer' } as const
    return client.lookUpExisting(request, createdTransferSchema, sent => readSent(sent, order, handle))
  }

  /** Finds the account that an earlier preparation of the transfer has made, unless it has failed. */
  async function findExistingAccount({ id, destination }: ProviderTransferRequest) {
    const list = await client.readAllPages({
      call: 'prepareTransfer',
      reference: id,
      ...STARK_LISTS.verifiedAccounts,
      filter: { tags: id },
    })
    if (list.kind === 'no_answer') return list
    const account = list.items.find(
      listed =>
        hasTag(listed, id) &&
        isAccountOf(listed, destination) &&
        listed.status !== 'failed' &&
        listed.status !== 'canceled',
    )
    return account ? { kind: 'found' as const, account, owner: undefined } : NO_ACCOUNT
  }

  /** Makes the verified account of a transfer. */
  async function createAccount({ id, destination }: ProviderTransferRequest) {
    switch (destination.kind) {
      case 'key':
        return createKeyAccount(id, destination)
      case 'account':
        return postAccount(id, destination, toAccountFields(destination.account))
      case 'code':
        return codeUnsupported
    }
  }

  /**
   * Makes an account of a key and the document of its owner. Where the order names one, the account's verification confirms it ("that
   * a bank account or Pix key belongs to a given tax ID"), and the key is not looked up.
   */
  async function createKeyAccount(id: string, key: KeyDestination) {
    const found = key.document === null ? await findKeyOwner(id, key) : null
    if (found && found.kind !== 'accepted') return toPreparation(found)
    const document = key.document ?? toPlainDocument(found?.owner.taxId)
    if (!isDocument(document)) return ownerUnreadable
    const made = await postAccount(id, { ...key, document }, { taxId: document, keyId: key.pixKey })
    return made.kind === 'found' ? { ...made, owner: found?.owner } : made
  }

  async function postAccount(id: string, destination: TransferDestination, account: StarkAccountFields) {
    const call = { call: 'prepareTransfer', reference: id } as const
    const json = starkVerifiedAccountRequestSchema.parse({ accounts: [{ ...account, tags: [id] }] })
    const request = { ...call, method: 'POST', path: '/v2/verified-account', json } as const
    const outcome = await client.send(
      request,
      oneCreatedStarkEntity('accounts', starkVerifiedAccountSchema),
      made => (isAccountOf(completeAccount(made, account), destination) ? { account: made } : undefined),
    )
    if (outcome.kind !== 'accepted') return toPreparation(outcome)
    return { kind: 'found' as const, account: outcome.account, owner: undefined }
  }

  function findKeyOwner(id: string, { pixKey }: KeyDestination) {
    const path = encodePath`/v2/dict-key/${pixKey}`
    const call = { call: 'prepareTransfer', reference: id, path } as const
    return client.send(call, oneStarkEntity('key', starkDictKeySchema), owner => ({ owner }))
  }

  /** Explains why the account of an order that names a document was not verified; null where the key's look-up does not say. */
  async function explainFailure({ id, destination }: ProviderTransferRequest) {
    if (destination.kind !== 'key' || destination.document === null) return null
    const found = await findKeyOwner(id, destination)
    if (found.kind === 'rejected') return found
    const reported = found.kind === 'accepted' ? toPlainDocument(found.owner.taxId) : ''
    return isDocument(reported) ? checkKeyOwner(destination.document, reported) : null
  }

  /** Looks an account up until it is verified or has failed, for about four seconds. */
  async function waitUntilActive({ id }: ProviderTransferRequest, account: StarkVerifiedAccount) {
    let latest = account
    for (const waitMs of ACCOUNT_POLLS_MS) {
      if (['active', 'failed', 'canceled'].includes(latest.status)) break
      await setTimeout(waitMs)
      const path = encodePath`/v2/verified-account/${account.id}`
      const outcome = await client.lookUpExisting(
        { call: 'prepareTransfer', reference: id, path },
        oneStarkEntity('account', starkVerifiedAccountSchema),
        found => (found.id === account.id ? { account: found } : undefined),
      )
      if (outcome.kind === 'no_answer') return outcome
      latest = outcome.account
    }
    return { kind: 'found' as const, ...latest }
  }

  /**
   * Adds what came back of a settled transfer: "if there are two [transactions], second is the chargeback". Without an answer the
   * caller polls again.
   */
  async function addReturn(transfer: StarkTransfer, payout: ProviderPayout): Promise<ProviderPayout> {
    const [, chargebackId] = transfer.transactionIds
    if (chargebackId === undefined) return { ...payout, returns: [] }
    const path = encodePath`/v2/transaction/${chargebackId}`
    const outcome = await client.lookUp(
      { call: 'findTransfer', path },
      oneStarkEntity('transaction', starkTransactionSchema),
      transaction =>
        transaction.id === chargebackId && transaction.amount > 0 ? { transaction } : undefined,
    )
    if (outcome.kind !== 'found') return payout
    const { amount: cents, created: at } = outcome.transaction
    const chargeback: PayoutReturn = {
      id: chargebackId,
      endToEnd: toTransactionName(chargebackId),
      cents,
      at,
    }
    return { ...payout, returns: [chargeback] }
  }
}

type KeyDestination = Extract<TransferDestination, { kind: 'key' }>
/** What a verified account is of: the document of its holder, and a key or the account at its bank. */
type StarkAccountFields = Partial<
  Record<'taxId' | 'keyId' | 'bankCode' | 'branchCode' | 'number' | 'type', string | null>
>

/** Builds the account without a key. "Use '-' before the verifier digit", which is the last one of the order's number. */
function toAccountFields({ name, document, bank, account_agency, account_number, account_type }: Party) {
  const number = account_number.replace(/(?<=.)(.)$/, '-$1')
  const type = STARK_ACCOUNT_TYPES[account_type]
  return { taxId: document, name, bankCode: bank.ispb, branchCode: account_agency, number, type }
}

/** `type` of a verified account (npm package starkbank, VerifiedAccount). */
const STARK_ACCOUNT_TYPES = {
  CHECKING: 'checking',
  PAYMENT: 'payment',
  SAVINGS: 'savings',
  SALARY: 'salary',
} as const

/** Completes an account that Stark Bank has answered by what it was made of. */
function completeAccount(answered: StarkVerifiedAccount, ordered: StarkAccountFields): StarkAccountFields {
  const named = Object.entries(answered).filter(([, value]) => value !== null && value !== undefined)
  return { ...ordered, ...Object.fromEntries(named) }
}

/** Tells whether a verified account is that of a destination. */
function isAccountOf(listed: StarkAccountFields, destination: TransferDestination): boolean {
  const { document } = toDestinationColumns(destination)
  const taxId = toPlainDocument(listed.taxId)
  if (taxId !== (document ?? taxId)) return false
  switch (destination.kind) {
    case 'code':
      return false
    case 'key':
      return normalizePixKey(listed.keyId ?? '') === destination.pixKey
    case 'account': {
      const ordered = toAccountFields(destination.account)
      return (['bankCode', 'branchCode', 'number', 'type'] as const).every(
        field => listed[field] === ordered[field],
      )
    }
  }
}

const NO_ACCOUNT = { kind: 'not_found' } as const

/** Tells whether a transfer is that of our id. `externalId` alone proves it, and the tag where a list leaves that out. */
function isOwnTransfer({ externalId, ...transfer }: StarkTransfer, id: string): boolean {
  return externalId ? externalId === id : hasTag(transfer, id)
}

/** Converts the outcome of a call of a preparation, which moves nothing. */
function toPreparation(
  outcome: Exclude<Awaited<ReturnType<StarkClient['send']>>, { kind: 'accepted' }>,
): Exclude<PreparePayoutOutcome, { kind: 'prepared' }> {
  if (outcome.kind !== 'unknown') return outcome
  return { kind: 'no_answer', code: outcome.code, message: outcome.message }
}

/** Builds the outcome of a transfer that is stored and not started: one that needs an approval waits for it. */
function waitsForApproval({ id }: StarkTransfer): FindPayoutOutcome {
  const message =
    `Transfer ${id} is stored at Stark Bank and not started. ` +
    'Where it needs an approval, approve or cancel it in Stark Bank’s panel.'
  return { kind: 'awaiting_approval', code: 'awaiting_approval', message }
}

const ownerUnreadable = rejectForThisProvider(
  'document_unchecked',
  'Stark Bank does not report the document of the key’s owner, without which it sends nothing',
)
const accountNotVerified = rejectForThisProvider(
  'pix_key_unreadable',
  'Stark Bank did not verify the key and the document of its owner',
)
const accountNotActive: NoAnswerResult = {
  kind: 'no_answer',
  code: 'account_not_active',
  message: 'Stark Bank has not verified the key yet',
}
const notPrepared = rejectForThisProvider('preparation_expired', 'The transfer was not prepared')
const transferNotListed: NoAnswerResult = {
  kind: 'no_answer',
  code: 'transfer_not_listed',
  message: 'Stark Bank does not list the transfer, which proves nothing',
}
