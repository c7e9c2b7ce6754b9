import { detectDocumentKind, detectKeyKind } from '../../pix-key.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { SimulatorState } from '../../state.ts'
import type { SimulatedRecipient, SimulatedTransfer } from '../../transfers.ts'

/** DICT's budgets of look-ups for a person and a company (DICT API 2.12.1, ENTRIES_READ_USER_ANTISCAN). */
const BUDGETS = {
  CPF: { capacity: 100, refillPerMinute: 2 },
  CNPJ: { capacity: 1_000, refillPerMinute: 20 },
} as const
const REFILL_PERIOD_S = 60

const BUCKETS = [
  { name: 'baldeA', types: ['cpf', 'cnpj', 'evp'], kinds: ['CPF', 'CNPJ', 'RANDOM'] },
  { name: 'baldeB', types: ['telefone', 'email'], kinds: ['PHONE', 'EMAIL'] },
] as const

/**
 * Creates the handler of `GET /v2/gn/chaves/balde` ("Consultar baldes de fichas"). A transfer to a key uses a token,
 * which its settlement returns; without a settlement the bucket is refilled in time. The simulator does not refuse at
 * an empty bucket: the fault `http_429` does.
 */
export function createEfiKeyBucketHandler({
  transfers,
  now,
}: SimulatorState): (call: SimulatedCall) => SimulatedResponse {
  return ({ account }) => {
    const budget = BUDGETS[detectDocumentKind(account.holderDocument) === 'CPF' ? 'CPF' : 'CNPJ']
    const fullAfterMs = (budget.capacity / budget.refillPerMinute) * REFILL_PERIOD_S * 1_000
    const from = new Date(now().getTime() - fullAfterMs).toISOString()
    const usedTokens = transfers
      .listBetween(account.id, { from, to: now().toISOString() })
      .filter(({ status }) => status !== 'settled')
      .map(findRecipientKeyKind)
    const buckets = BUCKETS.map(({ name, types, kinds }) => {
      const usedCount = usedTokens.filter(used => kinds.some(kind => kind === used)).length
      const bucket = {
        tiposChave: types,
        capacidade: budget.capacity,
        fichasDisponiveis: Math.max(0, budget.capacity - usedCount),
        taxaDeReposicaoFichas: budget.refillPerMinute,
        periodoReposicaoEmSegundos: REFILL_PERIOD_S,
      }
      return [name, bucket] as const
    })
    return { status: 200, body: Object.fromEntries(buckets) }
  }
}

function findRecipientKeyKind({ recipient }: SimulatedTransfer) {
  const { key } = JSON.parse(recipient) as SimulatedRecipient
  return key === null ? null : detectKeyKind(key)
}
