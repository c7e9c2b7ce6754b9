import { documentKind } from '../../../domain/document.ts'
import { pixKeyType } from '../../../domain/pix-key.ts'
import type { Account } from '../../accounts.ts'
import type { Answer, Call } from '../../calls.ts'
import { type Fate, SETTLES } from '../../events.ts'
import type { CallFault, Taken } from '../../faults.ts'
import { faultOfRecipient, foretold, RECIPIENT_DOCUMENT, RECIPIENT_NAME } from '../../recipients.ts'
import type { Recipient, SendingAcceptance } from '../../sendings.ts'
import type { World } from '../../world.ts'
import * as errors from './errors.ts'
import { listed } from './pages.ts'
import { type Order, paymentOf, waitingOf } from './payment-words.ts'
import { approvalBody, paymentBody, read } from './schemas.ts'

type Sends = Record<'order' | 'approve' | 'show' | 'list', (call: Call, fate: Fate) => Answer> &
  Record<'magicOfOrder' | 'magicOfApproval', (call: Call) => Taken<CallFault> | null>

/** Payments out: `/payment`. Ordered, they wait; approved, by themselves or with the order, they are sent. */
export function sendsOf(world: World): Sends {
  const { sendings, store } = world

  return {
    magicOfOrder: ({ account, body }) => {
      const { data } = paymentBody.safeParse(body)
      if (!data?.autoApprove) return null
      const { correlationID: id, destinationAlias: key } = data
      return faultOfRecipient(store, { accountId: account.id, id, key })
    },
    magicOfApproval: ({ account, body }) => {
      const { data } = approvalBody.safeParse(body)
      const order = data && waitingFor(world, account, data.correlationID)
      return order ? faultOfRecipient(store, { accountId: account.id, id: order.id, key: order.key }) : null
    },
    order: (call, fate) => ordered(world, call, fate),
    approve: ({ account, body }, fate) => {
      const asked = read(approvalBody, body)
      if ('refusal' in asked) return asked.refusal
      const { correlationID: id } = asked.value
      const order = waitingFor(world, account, id)
      if (order) return sent(world, { account, order, fate, noBalance: errors.noBalanceToApprove })
      return sendings.find(account.id, id) ? errors.paymentApproved() : errors.paymentNotFound()
    },
    show: ({ account, params }) => {
      const sending = sendings.find(account.id, params.id!)
      if (sending) return { status: 200, body: paymentOf(sending) }
      const order = waitingFor(world, account, params.id!)
      return order ? { status: 200, body: waitingOf(order, account) } : errors.paymentNotFound()
    },
    list: call =>
      listed(call, {
        field: 'payments',
        between: range =>
          sendings.between(call.account.id, range).filter(({ isFromPanel }) => isFromPanel === 0),
        shown: paymentOf,
      }),
  }
}

function ordered(world: World, { account, body }: Call, fate: Fate): Answer {
  const asked = read(paymentBody, body)
  if ('refusal' in asked) return asked.refusal
  const { correlationID: id, value: cents, destinationAlias: key, comment, autoApprove } = asked.value
  if (aliasTypeOf(key) !== asked.value.destinationAliasType) return errors.invalidKey()
  // What was taken before keeps its id, whatever this request would come to.
  if (world.sendings.find(account.id, id) || waitingFor(world, account, id)) return errors.paymentTaken()
  const order = { id, cents, key, message: comment ?? null }
  if (autoApprove) return sent(world, { account, order, fate, noBalance: errors.noBalanceToOrder })
  keepOrder(world, account, order)
  return { status: 200, body: waitingOf(order, account) }
}

function keepOrder({ store }: World, { id: accountId }: Account, order: Order): void {
  if (store.one('SELECT 1 FROM wooviPayment WHERE accountId = ? AND id = ?', accountId, order.id)) return
  store.insert('wooviPayment', { accountId, ...order })
}

/** An order that waits for its approval, and whose it is. */
export type StandingOrder = Order & { accountId: string }

/** What a person may do in the provider's panel with the orders that wait for an approval. */
export function standingOrdersOf(world: World) {
  const { accounts, store } = world
  const find = (id: string) =>
    store.one<StandingOrder>('SELECT accountId, id, cents, key, message FROM wooviPayment WHERE id = ?', id)
  return {
    list: () =>
      store.all<StandingOrder>('SELECT accountId, id, cents, key, message FROM wooviPayment ORDER BY rowid'),
    /** Sends an order's money; the provider may refuse. Undefined where no such order waits. */
    approve(id: string): Answer | undefined {
      const found = find(id)
      if (!found) return undefined
      const { accountId, ...order } = found
      const account = accounts.find(accountId)!
      return sent(world, { account, order, fate: SETTLES, noBalance: errors.noBalanceToApprove })
    },
    /** Whether an order was there and is gone. */
    remove: (id: string) => store.run('DELETE FROM wooviPayment WHERE id = ?', id) > 0,
  }
}

type Approved = { account: Account; order: Order; fate: Fate; noBalance: () => Answer }

/** A refused payment that waited goes on waiting, as Woovi documents for one without balance. */
function sent(world: World, { account, order, fate, noBalance }: Approved): Answer {
  const { accounts, sendings, store } = world
  const { id, cents, key, message } = order
  // So no PIX is ever sent and received by one account, and its id never means both.
  if (accounts.ofKey(key)?.id === account.id)
    return failedAtOnce(world, { account, order, code: 'SAME_ACCOUNT_TRANSFER' })
  if (fate.kind === 'left') {
    keepOrder(world, account, order)
    return noBalance()
  }
  const magic = foretold(key, cents)
  if ('refused' in magic) return failedAtOnce(world, { account, order, code: magic.refused })
  return store.atomically(() => {
    const accepted = sendings.accept({
      ...{ account, id, cents, message, comesBack: magic.comesBack },
      recipient: recipientOf(world, key),
      payerKey: accounts.keysOf(account.id)[0] ?? '',
      fate: fate.kind === 'settles' ? magic.fate : fate,
    })
    if (accepted.kind === 'accepted')
      store.run('DELETE FROM wooviPayment WHERE accountId = ? AND id = ?', account.id, id)
    return accepted.kind === 'no_balance' ? noBalance() : answerTo(accepted)
  })
}

/** A payment that fails for a reason which Woovi documents for payments, and not for requests that it refuses. */
function failedAtOnce(
  { accounts, sendings, store }: World,
  { account, order, code }: { account: Account; order: Order; code: string },
): Answer {
  return store.atomically(() => {
    const { id, cents, key, message } = order
    const failed = sendings.refuse({
      ...{ account, id, cents, message, comesBack: [] },
      recipient: { key, name: RECIPIENT_NAME, document: RECIPIENT_DOCUMENT },
      payerKey: accounts.keysOf(account.id)[0] ?? '',
      fate: { kind: 'rejected', code },
    })
    store.run('DELETE FROM wooviPayment WHERE accountId = ? AND id = ?', account.id, id)
    return { status: 200, body: paymentOf(failed) }
  })
}

function answerTo(accepted: Exclude<SendingAcceptance, { kind: 'no_balance' }>): Answer {
  switch (accepted.kind) {
    case 'accepted':
      return { status: 200, body: paymentOf(accepted.sending) }
    case 'id_taken':
      return errors.paymentTaken()
    default:
      return accepted satisfies never
  }
}

function waitingFor({ store }: World, account: Account, id: string): Order | undefined {
  return store.one<Order>(
    'SELECT id, cents, key, message FROM wooviPayment WHERE accountId = ? AND id = ?',
    account.id,
    id,
  )
}

function recipientOf({ accounts }: World, key: string): Recipient {
  const holder = accounts.ofKey(key)
  const own = pixKeyType(key) === 'DOCUMENT' ? key : RECIPIENT_DOCUMENT
  return { key, name: holder?.holderName ?? RECIPIENT_NAME, document: holder?.holderDocument ?? own }
}

function aliasTypeOf(key: string): string | null {
  const type = pixKeyType(key)
  return type === 'DOCUMENT' ? documentKind(key) : type
}
