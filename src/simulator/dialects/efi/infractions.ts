import { reaisFromCents } from '../../../domain/money.ts'
import type { Account } from '../../accounts.ts'
import type { Answer, Call } from '../../calls.ts'
import type { Med, Situation } from '../../meds.ts'
import type { Recipient } from '../../sendings.ts'
import type { World } from '../../world.ts'
import * as errors from './errors.ts'
import { listed } from './pages.ts'
import { defenceBody, read } from './schemas.ts'

type Infractions = Record<'list' | 'defend', (call: Call) => Answer>

/** Disputes: `/v2/gn/infracoes` ("Endpoints exclusivos Efí", Listar infrações MED, Submeter defesa). */
export function infractionsOf(world: World): Infractions {
  const { meds } = world
  return {
    list: call => {
      const page = listed(call, {
        field: 'infracoes',
        between: range => meds.between(call.account.id, range),
        fits: () => true,
        shown: med => shown(world, call.account, med),
      })
      return page.status === 200 ? page : errors.infractionsQueryInvalid()
    },
    defend: ({ account, params, body }) => {
      const asked = read(defenceBody, body)
      if ('refusal' in asked) return errors.infractionsQueryInvalid()
      const { justificativa: text } = asked.value
      const med = { accountId: account.id, id: params.idInfracao! }
      const verdict = meds.reply(med, { accept: false, text, documents: [] }, { again: false })
      switch (verdict) {
        case 'taken':
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

const STATUS = {
  open: 'ABERTA',
  replied: 'EM_DEFESA',
  agreed: 'ACEITA',
  disagreed: 'REJEITADA',
  cancelled: 'CANCELADA_EFI',
} as const satisfies Record<Med['status'], string>

const SITUATION: Record<Situation, string> = {
  SCAM: 'golpe',
  ACCOUNT_TAKEOVER: 'aquisição da conta',
  COERCION: 'coerção',
  FRAUDULENT_ACCESS: 'acesso fraudulento',
  OTHER: 'outro',
}

function shown({ meds, receipts, sendings }: World, account: Account, med: Med) {
  const [reply] = meds.repliesOf(med)
  const receipt = receipts.find(account.id, med.endToEnd)
  const sending = sendings.ofEndToEnd(med.endToEnd)
  const holder = partyOf(account.holderName, account.holderDocument)
  const payer = receipt ? partyOf(receipt.payerName, receipt.payerDocument) : holder
  const { name, document } = sending
    ? (JSON.parse(sending.recipient) as Recipient)
    : { name: '', document: '' }
  return {
    idInfracao: med.id,
    endToEndId: med.endToEnd,
    protocolo: med.protocol,
    dataTransacao: receipt?.at ?? sending?.settledAt ?? med.openedAt,
    valor: reaisFromCents(med.cents),
    ...(receipt ? { chave: receipt.key } : {}),
    status: STATUS[med.status],
    razao: 'Solicitacao de devolução',
    tipoSituacao: SITUATION[med.situation],
    ...(reply ? { defesa: reply.text } : {}),
    identificadorTicket: [med.protocol],
    dadosAnalise: {
      abertura: med.openedAt,
      prazoFinalizacao: med.dueAt,
      ...(reply ? { recebimentoDefesa: reply.at } : {}),
      ...(med.decidedAt ? { finalizacao: med.decidedAt } : {}),
    },
    origem: payer,
    destino: med.side === 'received' ? holder : partyOf(name, document),
    criadoEm: med.openedAt,
    atualizadoEm: med.changedAt,
  }
}

function partyOf(nome: string, documento: string) {
  return { nomeParticipante: 'BANCO DE TESTE', conta: 123456, nome, documento }
}
