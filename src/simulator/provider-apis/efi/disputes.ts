import { reaisFromCents } from '../../../domain/ledger/money.ts'
import type { SimulatedAccount } from '../../accounts.ts'
import type { DictSituation, SimulatedDispute } from '../../disputes.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { SimulatorState } from '../../state.ts'
import type { SimulatedRecipient } from '../../transfers.ts'
import * as errors from './errors.ts'
import { buildEfiListPage } from './list-page.ts'
import { defenceBody, parseEfiBody } from './schemas.ts'

type EfiDisputeHandlers = Record<'list' | 'defend', (call: SimulatedCall) => SimulatedResponse>

/** Disputes: `/v2/gn/infracoes` ("Endpoints exclusivos Efí", Listar infrações MED, Submeter defesa). */
export function createEfiDisputeHandlers(world: SimulatorState): EfiDisputeHandlers {
  const { disputes: meds } = world
  return {
    list: call => {
      const page = buildEfiListPage(call, {
        field: 'infracoes',
        between: range => meds.listBetween(call.account.id, range),
        matches: () => true,
        present: med => presentInfraction(world, call.account, med),
      })
      return page.status === 200 ? page : errors.infractionsQueryInvalid()
    },
    defend: ({ account, params, body }) => {
      const asked = parseEfiBody(defenceBody, body)
      if ('refusal' in asked) return errors.infractionsQueryInvalid()
      const { justificativa: text } = asked.value
      const med = { accountId: account.id, id: params.idInfracao! }
      const verdict = meds.reply(med, { accept: false, text, documents: [] }, { again: false })
      switch (verdict) {
        case 'accepted':
          return { status: 201 }
        case 'no_such_med':
          return errors.infractionNotFound()
        case 'already_replied':
          return errors.defenceExists()
        case 'too_late':
          return errors.defenceTooLate()
        default:
          return verdict satisfies never
      }
    },
  }
}

const INFRACTION_STATUS = {
  open: 'ABERTA',
  replied: 'EM_DEFESA',
  agreed: 'ACEITA',
  disagreed: 'REJEITADA',
  cancelled: 'CANCELADA_EFI',
} as const satisfies Record<SimulatedDispute['status'], string>

const INFRACTION_SITUATION: Record<DictSituation, string> = {
  SCAM: 'golpe',
  ACCOUNT_TAKEOVER: 'aquisição da conta',
  COERCION: 'coerção',
  FRAUDULENT_ACCESS: 'acesso fraudulento',
  OTHER: 'outro',
}

function presentInfraction(
  { disputes: meds, receipts, transfers: sendings }: SimulatorState,
  account: SimulatedAccount,
  med: SimulatedDispute,
) {
  const [reply] = meds.listReplies(med)
  const receipt = receipts.find(account.id, med.endToEnd)
  const sending = sendings.findByEndToEnd(med.endToEnd)
  const holder = presentParty(account.holderName, account.holderDocument)
  const payer = receipt ? presentParty(receipt.payerName, receipt.payerDocument) : holder
  const { name, document } = sending
    ? (JSON.parse(sending.recipient) as SimulatedRecipient)
    : { name: '', document: '' }
  return {
    idInfracao: med.id,
    endToEndId: med.endToEnd,
    protocolo: med.protocol,
    dataTransacao: receipt?.at ?? sending?.settledAt ?? med.openedAt,
    valor: reaisFromCents(med.cents),
    ...(receipt ? { chave: receipt.key } : {}),
    status: INFRACTION_STATUS[med.status],
    razao: 'Solicitacao de devolução',
    tipoSituacao: INFRACTION_SITUATION[med.situation],
    ...(reply ? { defesa: reply.text } : {}),
    identificadorTicket: [med.protocol],
    dadosAnalise: {
      abertura: med.openedAt,
      prazoFinalizacao: med.dueAt,
      ...(reply ? { recebimentoDefesa: reply.at } : {}),
      ...(med.decidedAt ? { finalizacao: med.decidedAt } : {}),
    },
    origem: payer,
    destino: med.side === 'received' ? holder : presentParty(name, document),
    criadoEm: med.openedAt,
    atualizadoEm: med.changedAt,
  }
}

function presentParty(nome: string, documento: string) {
  return { nomeParticipante: 'BANCO DE TESTE', conta: 123456, nome, documento }
}
