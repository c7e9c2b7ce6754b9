import { shiftDay } from '../../../packages/simulator/business-days.ts'
import { openContract } from '../../support/openapi-contract.ts'
import type { BankClient } from './bank-client.ts'
import { BANKS, createBankCaller, putBankAccount } from './banks.ts'
import { openSimulatorFixture, pollUntil, type SimulatorFixture } from './simulator-fixture.ts'

/** The Central Bank's document, by which requests and answers of recurrences are validated. */
export const BACEN_CONTRACT = openContract('bcb-pix-api-2.9.0.yaml')

const SCOPES = [
  'rec',
  'solicrec',
  'cobr',
  'payloadlocationrec',
  'webhookrec',
  'webhookcobr',
  'cob',
  'cobv',
  'pix',
]
  .flatMap(resource => [`${resource}.read`, `${resource}.write`])
  .concat('webhook.read', 'webhook.write')
  .join(' ')

const BASE = BANKS.inter.pix
export const DEBTOR = { cpf: '52998224725', nome: 'Ana de Souza' }
export const RECEIVER = { agencia: '0001', conta: '13525622', tipoConta: 'CORRENTE' }
export const ALL_TIME = 'inicio=2020-01-01T00:00:00Z&fim=2099-01-01T00:00:00Z'

export type RecurrenceFixture = Awaited<ReturnType<typeof openRecurrenceFixture>>

/** A simulator with an account of Inter, whose recurrences are the Central Bank's, and short calls of its API. */
export async function openRecurrenceFixture(options: { home?: string } = {}) {
  const simulator: SimulatorFixture = await openSimulatorFixture(options)
  await putBankAccount(simulator, 'inter', { options: { enforces_pace: false } })
  const bank: BankClient = await createBankCaller(simulator, 'inter', {
    described: [{ prefix: BASE, contract: BACEN_CONTRACT }],
  })
  await bank.authorize({ ...BANKS.inter.credentials, scope: SCOPES })
  let count = 0
  const { control } = simulator

  const nextTxid = () => `cobr${String(++count).padStart(28, '0')}`
  const today = async () => (await control.findDay()).today
  const inDays = async (days: number) => shiftDay(await today(), days)
  const createRec = async (more: object = {}) => {
    const dataInicial = await inDays(10)
    const body = {
      vinculo: { contrato: `contract-${++count}`, devedor: DEBTOR, objeto: 'Internet' },
      calendario: { dataInicial, periodicidade: 'MENSAL' },
      valor: { valorRec: '50.00' },
      politicaRetentativa: 'PERMITE_3R_7D',
      ...more,
    }
    return bank.post(`${BASE}/rec`, body)
  }
  const createCobr = async (idRec: string, dueInDays: number, change: CobrChange = {}) => {
    const { txid = nextTxid(), ...more } = change
    const dataDeVencimento = await inDays(dueInDays)
    const body = {
      idRec,
      calendario: { dataDeVencimento },
      valor: { original: '50.00' },
      ajusteDiaUtil: false,
      recebedor: RECEIVER,
      ...more,
    }
    const response = await bank.put(`${BASE}/cobr/${txid}`, body)
    return { ...response, txid }
  }
  const findCobr = async (txid: string) => (await bank.get(`${BASE}/cobr/${txid}`)).body

  return {
    simulator,
    control,
    bank,
    /** Returns another txid at each call. */
    nextTxid,
    today,
    inDays,
    /** Creates a monthly recurrence of 50 reais that begins in 10 days. */
    createRec,
    /** Creates a recurrence that its payer has authorised. */
    createApproved: async (more: object = {}): Promise<string> => {
      const { body } = await createRec(more)
      await control.decideRecurrence(body.idRec, { decision: 'accept' })
      return body.idRec
    },
    findRec: async (id: string, query = '') => (await bank.get(`${BASE}/rec/${id}${query}`)).body,
    patchRec: (id: string, body: object) => bank.patch(`${BASE}/rec/${id}`, body),
    /** Creates the charge of a recurrence, of 50 reais, due in so many days. */
    createCobr,
    findCobr,
    /** Creates a charge whose first try the payer's bank has answered. */
    createScheduled: async (idRec: string, dueInDays: number, more: CobrChange = {}): Promise<string> => {
      const { txid } = await createCobr(idRec, dueInDays, more)
      await pollUntil(
        () => findCobr(txid),
        ({ tentativas }) => tentativas?.at(-1).status !== 'SOLICITADA',
      )
      return txid
    },
    cancelCobr: (txid: string) => bank.patch(`${BASE}/cobr/${txid}`, { status: 'CANCELADA' }),
    retry: (txid: string, day: string) => bank.post(`${BASE}/cobr/${txid}/retentativa/${day}`),
    /** Lists the kinds and statuses of a charge's tries. */
    listTries: async (txid: string): Promise<string[]> =>
      ((await findCobr(txid)).tentativas ?? []).map(
        ({ tipo, status }: { tipo: string; status: string }) => `${tipo} ${status}`,
      ),
    stop: async () => {
      await bank.close()
      await simulator.stop()
    },
    close: async () => {
      await bank.close()
      await simulator.close()
    },
  }
}
type CobrChange = { txid?: string; [field: string]: unknown }

/** The type of a problem, and the field that it is about. */
export function problemOf({ status, body }: { status: number; body: ProblemBody }) {
  return [status, body.type.split('/').at(-1), body.violacoes?.[0]?.propriedade]
}
type ProblemBody = { type: string; violacoes?: { propriedade: string }[] }
