import type { SimulatedAccount } from '../../accounts.ts'
import { reaisFromCents } from '../../amount.ts'
import type { DictSituation, SimulatedDispute } from '../../disputes.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { SimulatorState } from '../../state.ts'
import type { SimulatedRecipient } from '../../transfers.ts'
import * as errors from './errors.ts'
import { buildEfiListPage } from './list-page.ts'
import { defenceBody, parseEfiBody } from './schemas.ts'

type EfiDisputeHandlers = Record<'list' | 'defend', (call: SimulatedCall) => SimulatedResponse>

/** Creates the handlers of `/v2/gn/infracoes` ("Endpoints exclusivos Efí", Listar infrações MED, Submeter defesa). */
export function createEfiDisputeHandlers(state: SimulatorState): EfiDisputeHandlers {
  const { disputes } = state
  return {
    list: call => {
      const page = buildEfiListPage(call, {
        field: 'infracoes',
        between: range => disputes.listBetween(call.account.id, range),
        matches: () => true,
        present: dispute => presentInfraction(state, call.account, dispute),
      })
      return page.status === 200 ? page : errors.infractionsQueryInvalid()
    },
    defend: ({ account, params, body }) => {
      const parsed = parseEfiBody(defenceBody, body)
      if ('refusal' in parsed) return errors.infractionsQueryInvalid()
      const { justificativa: text } = parsed.value
      const dispute = { accountId: account.id, id: params.idInfracao! }
      const reply = { accept: false, text, documents: [] }
      const result = disputes.reply(dispute, reply, { allowsRepeat: false })
      switch (result) {
        case 'accepted':
          return { status: 201 }
        case 'no_such_dispute':
          return errors.infractionNotFound()
        case 'already_replied':
          return errors.defenceExists()
        case 'too_late':
          return errors.defenceTooLate()
        default:
          return result satisfies never
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
  { disputes, receipts, transfers }: SimulatorState,
  account: SimulatedAccount,
  dispute: SimulatedDispute,
) {
  const [reply] = disputes.listReplies(dispute)
  const receipt = receipts.find(account.id, dispute.endToEnd)
  const transfer = transfers.findByEndToEnd(dispute.endToEnd)
  const holder = presentParty(account.holderName, account.holderDocument)
  const payer = receipt ? presentParty(receipt.payerName, receipt.payerDocument) : holder
  const { name, document } = transfer
    ? (JSON.parse(transfer.recipient) as SimulatedRecipient)
    : { name: '', document: '' }
  return {
    idInfracao: dispute.id,
    endToEndId: dispute.endToEnd,
    protocolo: dispute.protocol,
    dataTransacao: receipt?.at ?? transfer?.settledAt ?? dispute.openedAt,
    valor: reaisFromCents(dispute.cents),
    ...(receipt ? { chave: receipt.key } : {}),
    status: INFRACTION_STATUS[dispute.status],
    razao: 'Solicitacao de devolução',
    tipoSituacao: INFRACTION_SITUATION[dispute.situation],
    ...(reply ? { defesa: reply.text } : {}),
    identificadorTicket: [dispute.protocol],
    dadosAnalise: {
      abertura: dispute.openedAt,
      prazoFinalizacao: dispute.dueAt,
      ...(reply ? { recebimentoDefesa: reply.at } : {}),
      ...(dispute.decidedAt ? { finalizacao: dispute.decidedAt } : {}),
    },
    origem: payer,
    destino: dispute.side === 'received' ? holder : presentParty(name, document),
    criadoEm: dispute.openedAt,
    atualizadoEm: dispute.changedAt,
  }
}

function presentParty(nome: string, documento: string) {
  return { nomeParticipante: 'BANCO DE TESTE', conta: 123456, nome, documento }
}
