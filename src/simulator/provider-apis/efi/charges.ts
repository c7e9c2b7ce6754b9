import type { SimulatedCharge } from '../../charges.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { ScriptedOutcome } from '../../rail-events.ts'
import type { SimulatorState } from '../../state.ts'
import * as errors from './errors.ts'
import { buildEfiListPage } from './list-page.ts'
import { presentEfiCharge, presentEfiReceivedPix } from './presenters.ts'
import { efiChargeBody, efiChargeChangeBody, parseEfiBody } from './schemas.ts'

/** Efí's sandbox pays charges up to this value by itself (docs, "Cobranças imediatas"). */
const MAX_MAGIC_PAID_CENTS = 1_000
const TXID_PATTERN = /^[a-zA-Z0-9]{26,35}$/

type EfiChargeHandlers = Record<
  'create' | 'show' | 'revise' | 'list',
  (call: SimulatedCall, fate: ScriptedOutcome) => SimulatedResponse
>

/** Immediate charges: `/v2/cob`. */
export function createEfiChargeHandlers(world: SimulatorState): EfiChargeHandlers {
  const { charges, receipts } = world
  const shown = (charge: SimulatedCharge) => {
    const pix = receipts.listByTxid(charge.accountId, charge.txid)
    const paid = pix.map(receipt => presentEfiReceivedPix(receipt, receipts.listRefunds(receipt)))
    return { ...presentEfiCharge(charge), ...(paid.length ? { pix: paid } : {}) }
  }

  return {
    create: (call, fate) => createCharge(world, call, fate),
    /** Only the newest revision is kept: another one is not found. */
    show: ({ account, params, query }) => {
      const charge = charges.find(account.id, params.txid!)
      const isAsked = charge && (query.get('revisao') ?? String(charge.revision)) === String(charge.revision)
      return isAsked ? { status: 200, body: shown(charge) } : errors.efiChargeNotFound()
    },
    revise: ({ account, params, body }) => {
      const change = parseEfiBody(efiChargeChangeBody, body)
      if ('refusal' in change) return change.refusal
      const charge = charges.find(account.id, params.txid!)
      if (!charge) return errors.efiChargeNotFound()
      const { status, calendario, valor, loc, ...details } = change.value
      if (valor?.original === 0) return errors.zeroChargeAmount()
      if (loc && loc.id !== charge.locationId) return errors.locationNotOfCharge()
      const revised = charges.revise(charge, {
        ...(status ? { status: 'removed' } : {}),
        ...(calendario ? { expiresInSeconds: calendario.expiracao } : {}),
        ...(valor ? { cents: valor.original } : {}),
        details,
      })
      return revised ? { status: 200, body: shown(revised) } : errors.chargeNotActive()
    },
    list: call =>
      buildEfiListPage(call, {
        field: 'cobs',
        between: range => charges.listBetween(call.account.id, range),
        matches: charge =>
          (call.query.get('status') ?? presentEfiCharge(charge).status) === presentEfiCharge(charge).status,
        present: shown,
      }),
  }
}

function createCharge(
  { accounts, charges, payerBank: bank, log }: SimulatorState,
  { account, params, body }: SimulatedCall,
  fate: ScriptedOutcome,
): SimulatedResponse {
  const { txid } = params
  const cob = parseEfiBody(efiChargeBody, body)
  if ('refusal' in cob) return cob.refusal
  if (txid !== undefined && !TXID_PATTERN.test(txid))
    return errors.efiInvalidFields([
      { chave: 'txid', caminho: '.params', mensagem: 'deve corresponder ao padrão [a-zA-Z0-9]{26,35}' },
    ])
  const { calendario, valor, chave: key, loc: _, ...details } = cob.value
  if (valor.original === 0) return errors.zeroChargeAmount()
  if (accounts.findByKey(key)?.id !== account.id) return errors.keyNotOfAccount()

  const order = {
    account,
    cents: valor.original,
    key,
    expiresInSeconds: calendario.expiracao,
    silent: fate.kind === 'silent',
    details,
  }
  const issued = charges.issue({ ...order, ...(txid === undefined ? {} : { txid }) })
  if (issued.kind === 'txid_taken') return errors.txidInUse()
  const { charge } = issued
  // Accepted, then not to be had after all: the provider takes it back.
  if (fate.kind === 'rejected') charges.revise(charge, { status: 'removed_by_provider' })
  else if (account.amountMagic && charge.cents <= MAX_MAGIC_PAID_CENTS)
    bank
      .pay({ payload: charge.payload, force: false })
      .catch(error => log.error({ err: error }, 'a magic amount stayed unpaid'))
  return { status: 201, body: presentEfiCharge(charge) }
}
