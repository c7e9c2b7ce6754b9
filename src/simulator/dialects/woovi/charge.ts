import type { Answer, Call } from '../../calls.ts'
import type { Charge } from '../../charges.ts'
import type { Fate } from '../../events.ts'
import type { World } from '../../world.ts'
import * as errors from './errors.ts'
import { listed } from './pages.ts'
import { chargeBody, read } from './schemas.ts'
import { type ChargeDetails, chargeOf } from './words.ts'

type Charges = Record<'create' | 'show' | 'remove' | 'list', (call: Call, fate: Fate) => Answer>

/** Charges: `/charge`, found by their correlationID or by Woovi's own id, which here is made of it. */
export function chargesOf(world: World): Charges {
  const { charges, now } = world
  const shown = (charge: Charge) => chargeOf(charge, now())

  return {
    create: (call, fate) => created(world, call, fate),
    show: ({ account, params }) => {
      const charge = chargeNamed(world, account.id, params.id!)
      return charge ? { status: 200, body: { charge: shown(charge) } } : errors.chargeNotFound()
    },
    remove: ({ account, params }) => {
      const charge = chargeNamed(world, account.id, params.id!)
      if (!charge) return errors.chargeNotFound()
      const removed = charges.revise(charge, { status: 'removed' })
      return removed ? { status: 200, body: { status: 'OK', id: charge.txid } } : errors.chargePaid()
    },
    list: call =>
      listed(call, {
        field: 'charges',
        between: range => charges.between(call.account.id, range).filter(isShown),
        shown,
      }),
  }
}

/** A deleted charge is gone from sight; its correlationID stays taken. */
export function chargeNamed({ charges }: World, accountId: string, id: string): Charge | undefined {
  const charge = charges.find(accountId, txidOf(id))
  return charge && isShown(charge) ? charge : undefined
}

/** The rail takes letters and digits only. */
export function txidOf(correlationID: string): string {
  return correlationID.replace(/[^a-zA-Z0-9]/g, '').slice(0, 35)
}

function isShown({ status }: Charge): boolean {
  return status !== 'removed'
}

function created(world: World, { account, query, body }: Call, fate: Fate): Answer {
  const { accounts, charges, now } = world
  const asked = read(chargeBody, body)
  if ('refusal' in asked) return asked.refusal
  const { correlationID, value: cents, comment, expiresIn } = asked.value
  const key = accounts.keysOf(account.id)[0]
  if (key === undefined) return errors.noKey()

  const details: ChargeDetails = { correlationID, ...(comment ? { solicitacaoPagador: comment } : {}) }
  const issued = charges.issue({
    ...{ account, txid: txidOf(correlationID), cents, key, details },
    expiresInSeconds: expiresIn,
    silent: fate.kind === 'silent',
  })
  const charge = issued.kind === 'issued' ? issued.charge : existing(world, { account, query }, correlationID)
  if (!charge) return errors.chargeTaken()
  // Accepted, then not to be had after all: the provider takes it back.
  if (fate.kind === 'rejected') charges.revise(charge, { status: 'removed_by_provider' })
  return {
    status: 200,
    body: { charge: chargeOf(charge, now()), correlationID, brCode: charge.payload },
  }
}

/** Who asks for it with `return_existing` gets what is there. */
function existing(world: World, { account, query }: Pick<Call, 'account' | 'query'>, correlationID: string) {
  return query.get('return_existing') === 'true' ? chargeNamed(world, account.id, correlationID) : undefined
}
