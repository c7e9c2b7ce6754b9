import { z } from 'zod'
import { readAccountOptions } from '../../account-options.ts'
import type { SimulatedAccount } from '../../accounts.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { AutomaticCharge, RetryRefusal } from '../../recurrences/automatic-charges.ts'
import type { ScriptedOutcome } from '../../scripted-outcome.ts'
import type { SimulatorState } from '../../state.ts'
import { isTxid } from './charges.ts'
import { buildBacenListPage } from './list-page.ts'
import {
  nameBacenAutomaticChargeStatus,
  presentAutomaticPix,
  presentBacenAutomaticCharge,
} from './recurrence-presenters.ts'
import type { BacenRecurrenceProfile } from './recurrence-profile.ts'
import { createShownRecurrences, matchesDebtor } from './recurrences.ts'
import { parseBacenRequest } from './schemas.ts'

type AutomaticChargeHandlers = Record<
  'create' | 'show' | 'revise' | 'list' | 'retry',
  (call: SimulatedCall, outcome: ScriptedOutcome) => SimulatedResponse
>

/** Creates the handlers of automatic charges, `/cobr`. */
export function createBacenAutomaticChargeHandlers(
  state: SimulatorState,
  profile: BacenRecurrenceProfile,
): AutomaticChargeHandlers {
  const { charges, clock, payers, recurrences } = state.recurring
  const { refusals, bodies } = profile
  const { findOwn } = createShownRecurrences(state)
  const present = (account: SimulatedAccount, charge: AutomaticCharge) =>
    presentBacenAutomaticCharge(account, { charge, recurrence: recurrences.find(charge.recurrenceId)! })
  const presentWhole = (account: SimulatedAccount, charge: AutomaticCharge) => {
    const tentativas = charges.listTries(charge).map(chargeTry => profile.presentTry(account, chargeTry))
    const pix = state.receipts.listByTxid(account.id, charge.txid).map(receipt => {
      const refunds = state.refunds.listListedByReceipt(receipt)
      const devolucoes = refunds.map(refund => profile.presentRefund(account, refund))
      return { ...presentAutomaticPix(receipt), ...(devolucoes.length > 0 ? { devolucoes } : {}) }
    })
    return {
      ...present(account, charge),
      ...(pix.length > 0 ? { pix } : {}),
      ...(tentativas.length > 0 ? { tentativas } : {}),
    }
  }

  return {
    create: ({ account, params, body }, outcome) => {
      const parsed = parseBacenRequest(bodies.charge, body, { refusals, subject: 'cobr' })
      if ('refusal' in parsed) return parsed.refusal
      const txid = params.txid ?? state.ids.token()
      if (!isTxid(txid))
        return refusals.invalidFields('cobr', [
          { place: 'params', path: ['txid'], message: 'deve corresponder ao padrão [a-zA-Z0-9]{26,35}' },
        ])
      const { idRec, calendario, valor, ajusteDiaUtil, recebedor, devedor, infoAdicional } = parsed.value
      const recurrence = findOwn(account, idRec)
      if (!recurrence) return refusals.notFound('rec')
      const { dataDeVencimento: dueOn } = calendario
      if (dueOn < clock.today()) return refuse('calendario.dataDeVencimento', DUE_TOO_EARLY)
      const { conta, tipoConta, agencia } = recebedor
      if (conta !== readAccountOptions(account).account_number)
        return refuse('recebedor.conta', OTHER_ACCOUNT)
      const created = charges.create({
        account,
        recurrence,
        txid,
        cents: valor.original,
        dueOn,
        adjustsDay: ajusteDiaUtil,
        receiver: { account: conta, kind: tipoConta, branch: agencia },
        debtor: devedor,
        info: infoAdicional,
        silent: outcome.kind === 'silent',
      })
      switch (created.kind) {
        case 'created':
          return { status: 201, body: present(account, created.charge) }
        case 'txid_in_use':
          return refusals.txidInUse()
        case 'cycle_in_use':
          return refuse('calendario.dataDeVencimento', CYCLE_IN_USE)
        case 'recurrence_ended':
          return refuse('idRec', 'A recorrência encontra-se expirada, cancelada ou rejeitada.')
        default:
          return created satisfies never
      }
    },
    show: ({ account, params }) => {
      const charge = charges.find(account.id, params.txid!)
      return charge ? { status: 200, body: presentWhole(account, charge) } : refusals.notFound('cobr')
    },
    revise: ({ account, params, body }) => {
      const parsed = parseBacenRequest(bodies.chargeChange, body, { refusals, subject: 'cobr' })
      if ('refusal' in parsed) return parsed.refusal
      const charge = charges.find(account.id, params.txid!)
      if (!charge) return refusals.notFound('cobr')
      if (clock.today() >= charge.firstTryOn) return refuse('status', CANCELLATION_TOO_LATE)
      const cancelled = payers.cancelCharge(charge, 'SLCR')
      return cancelled
        ? { status: 200, body: present(account, cancelled) }
        : refuse('status', 'A cobrança não pode mais ser cancelada.')
    },
    list: call => {
      const { account, query } = call
      if (query.has('cpf') && query.has('cnpj'))
        return refusals.invalidQuery('cobr', 'Ambos os parâmetros cpf e cnpj estão preenchidos.', 'cnpj')
      return buildBacenListPage(
        call,
        {
          field: 'cobsr',
          between: range => charges.listBetween(account.id, range),
          matches: charge => {
            const recurrence = recurrences.find(charge.recurrenceId)!
            const status = nameBacenAutomaticChargeStatus(charge)
            return (
              matchesDebtor(recurrence, query) &&
              (query.get('idRec') ?? recurrence.id) === recurrence.id &&
              (query.get('status') ?? status) === status &&
              (query.get('convenio') ?? recurrence.agreement) === recurrence.agreement
            )
          },
          present: charge => presentWhole(account, charge),
        },
        { refusals, subject: 'cobr' },
      )
    },
    retry: ({ account, params }) => {
      const day = params.data!
      const charge = charges.find(account.id, params.txid!)
      if (!charge) return refusals.notFound('cobr')
      if (!z.iso.date().safeParse(day).success) return refuse('data', RETRY_REFUSALS.not_future)
      const { allowsRetries, payerIspb } = recurrences.find(charge.recurrenceId)!
      const outcome = charges.retry(charge, {
        day,
        allowsRetries: allowsRetries === 1,
        payerIspb: payerIspb ?? account.ispb,
      })
      return outcome.kind === 'ordered'
        ? { status: 201, body: presentWhole(account, outcome.charge) }
        : refuse('data', RETRY_REFUSALS[outcome.why])
    },
  }

  function refuse(field: string, razao: string): SimulatedResponse {
    return refusals.invalid('cobr', razao, field === 'data' ? field : `cobr.${field}`)
  }
}

const DUE_TOO_EARLY = 'O campo cobr.calendario.dataDeVencimento é anterior à data de criação da cobrança.'
const OTHER_ACCOUNT =
  'Os campos cobr.recebedor.conta e cobr.recebedor.agencia correspondem a uma conta que não pertence a este usuário recebedor.'
const CYCLE_IN_USE =
  'Existe uma CobR com status diferente de REJEITADA e CANCELADA referente ao mesmo cobr.idRec com calendario.dataDeVencimento no mesmo ciclo.'
const CANCELLATION_TOO_LATE =
  'Não é possível cancelar uma cobrança em uma data igual ou maior que a data prevista da primeira tentativa de liquidação.'

/** The last two have no violation in the Central Bank's text; the policy's name has the rule. */
const RETRY_REFUSALS = {
  not_allowed: 'A política configurada na recorrência não permite retentativa de cobrança.',
  not_active: 'A cobrança não apresenta o status ATIVA.',
  try_pending: 'Existe uma tentativa com status SOLICITADA ou AGENDADA.',
  not_future: 'O parâmetro data não corresponde a uma data futura.',
  too_late: 'A política PERMITE_3R_7D permite retentativas até 7 dias após a primeira tentativa.',
  too_many: 'A política PERMITE_3R_7D permite até 3 retentativas.',
} as const satisfies Record<RetryRefusal, string>
