import type { Answer, Call } from '../../calls.ts'
import type { Charge } from '../../charges.ts'
import type { Fate } from '../../events.ts'
import type { World } from '../../world.ts'
import * as errors from './errors.ts'
import { listed } from './pages.ts'
import { cobBody, cobChange, read } from './schemas.ts'
import { cobOf, pixOf } from './words.ts'

/** Efí's sandbox pays charges up to this value by itself (docs, "Cobranças imediatas"). */
const MAGIC_PAID_CENTS = 1_000
const TXID = /^[a-zA-Z0-9]{26,35}$/

type Cobs = Record<'create' | 'show' | 'revise' | 'list', (call: Call, fate: Fate) => Answer>

/** Immediate charges: `/v2/cob`. */
export function cobsOf(world: World): Cobs {
  const { charges, receipts } = world
  const shown = (charge: Charge) => {
    const pix = receipts.ofTxid(charge.accountId, charge.txid)
    const paid = pix.map(receipt => pixOf(receipt, receipts.refundsOf(receipt)))
    return { ...cobOf(charge), ...(paid.length ? { pix: paid } : {}) }
  }

  return {
    create: (call, fate) => created(world, call, fate),
    /** Only the newest revision is kept: another one is not found. */
    show: ({ account, params, query }) => {
      const charge = charges.find(account.id, params.txid!)
      const isAsked = charge && (query.get('revisao') ?? String(charge.revision)) === String(charge.revision)
      return isAsked ? { status: 200, body: shown(charge) } : errors.chargeNotFound()
    },
    revise: ({ account, params, body }) => {
      const change = read(cobChange, body)
      if ('refusal' in change) return change.refusal
      const charge = charges.find(account.id, params.txid!)
      if (!charge) return errors.chargeNotFound()
      const { status, calendario, valor, loc, ...details } = change.value
      if (valor?.original === 0) return errors.chargeOfZero()
      if (loc && loc.id !== charge.locationId) return errors.foreignLocation()
      const revised = charges.revise(charge, {
        ...(status ? { status: 'removed' } : {}),
        ...(calendario ? { expiresInSeconds: calendario.expiracao } : {}),
        ...(valor ? { cents: valor.original } : {}),
        details,
      })
      return revised ? { status: 200, body: shown(revised) } : errors.chargeNotActive()
    },
    list: call =>
      listed(call, {
        field: 'cobs',
        between: range => charges.between(call.account.id, range),
        fits: charge => (call.query.get('status') ?? cobOf(charge).status) === cobOf(charge).status,
        shown,
      }),
  }
}

function created(
  { accounts, charges, bank, log }: World,
  { account, params, body }: Call,
  fate: Fate,
): Answer {
  const { txid } = params
  const cob = read(cobBody, body)
  if ('refusal' in cob) return cob.refusal
  if (txid !== undefined && !TXID.test(txid))
    return errors.invalidFields([
      { chave: 'txid', caminho: '.params', mensagem: 'deve corresponder ao padrão [a-zA-Z0-9]{26,35}' },
    ])
  const { calendario, valor, chave: key, loc: _, ...details } = cob.value
  if (valor.original === 0) return errors.chargeOfZero()
  if (accounts.ofKey(key)?.id !== account.id) return errors.foreignKey()

  const order = {
    account,
    cents: valor.original,
    key,
    expiresInSeconds: calendario.expiracao,
    silent: fate.kind === 'silent',
    details,
  }
  const issued = charges.issue({ ...order, ...(txid === undefined ? {} : { txid }) })
  if (issued.kind === 'txid_taken') return errors.txidTaken()
  const { charge } = issued
  // Accepted, then not to be had after all: the provider takes it back.
  if (fate.kind === 'rejected') charges.revise(charge, { status: 'removed_by_provider' })
  else if (account.amountMagic && charge.cents <= MAGIC_PAID_CENTS)
    bank
      .pay({ payload: charge.payload, force: false })
      .catch(error => log.error({ err: error }, 'a magic amount stayed unpaid'))
  return { status: 201, body: cobOf(charge) }
}
