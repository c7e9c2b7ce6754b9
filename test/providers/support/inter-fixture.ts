import { expect } from '@jest/globals'
import type { UnexplainedAnswer } from '../../../src/providers/adapter/unexplained-answers.ts'
import { createInterAdapter } from '../../../src/providers/inter/adapter.ts'
import { BACEN_CONTRACT } from '../../simulator/support/recurrences.ts'
import { openContract } from '../../support/openapi-contract.ts'
import { keyDestination } from '../../support/transfer-destinations.ts'
import { okReply } from './efi-fixture.ts'
import {
  type ProviderFixtureOptions,
  type ReceivedRequest,
  startScriptedProvider,
  timeoutMsFor,
} from './scripted-provider.ts'

export const NOTIFICATION_SECRET = 'a-secret-in-the-url'
export const ACCOUNT_NUMBER = '13525622'
export const credentials = {
  client_id: 'id',
  client_secret: 'hush',
  account_number: ACCOUNT_NUMBER,
  notification_secret: NOTIFICATION_SECRET,
}
export const NOW = Date.parse('2026-01-10T12:00:00Z')
/** Inter's own id of a payment. */
export const PAYMENT_CODE = 'c42f0787-02cb-4b31-827e-459ec9d7ece1'
export const SENT_ID = 'E00416968202601101201abcdefghijk'
export const transferOrder = {
  id: '0f8fad5bd9cb469fa16570867728950e',
  cents: 1050,
  destination: keyDestination('maria@example.com'),
  payerKey: null,
  message: 'Aluguel',
}

export const contract = openContract('inter-empresas.json')

/** Pix Automático, which Inter describes as the Central Bank does, and of which the excerpt of its document has nothing. */
const AUTOMATIC_PATH = /^\/pix\/v2(?=\/(rec|locrec|solicrec|cobr|webhookrec|webhookcobr)(\/|$))/

/** Lists how requests violate the published description. */
function findRequestViolations(requests: ReceivedRequest[]): string[] {
  return requests.flatMap(({ method, path: target, body }) => {
    const [path = '', query = ''] = target.split('?')
    const json: unknown = body === '' ? undefined : JSON.parse(body)
    return AUTOMATIC_PATH.test(path)
      ? BACEN_CONTRACT.validateRequest({ method, path: path.replace(AUTOMATIC_PATH, ''), query, body: json })
      : contract.validateRequest({ method, path, query, body: json })
  })
}

/**
 * A scripted Inter, and an adapter that calls it, at noon of one day. When it is closed, each of its requests has satisfied the
 * published description.
 */
export async function openInterFixture({ now = () => NOW, reply }: ProviderFixtureOptions = {}) {
  const scripted = await startScriptedProvider()
  const unexplainedAnswers: UnexplainedAnswer[] = []
  const provider = createInterAdapter({
    baseUrl: scripted.url,
    credentials,
    ca: scripted.ca,
    timeoutMs: timeoutMsFor(reply),
    now,
    recordUnexplained: async answer => void unexplainedAnswers.push(answer),
  })
  return {
    scripted,
    provider,
    recorded: unexplainedAnswers,
    async [Symbol.asyncDispose]() {
      await provider.close()
      await scripted.close()
      expect(findRequestViolations(scripted.calls())).toEqual([])
    },
  }
}

/** A problem of Banking: its status is a text, as in the published examples. */
export const bankingErrorReply = (status: number, title: string) =>
  okReply({ title, status: String(status), detail: 'so it is' }, status)

export const acceptanceOf = (changes: Record<string, unknown> = {}) => ({
  tipoRetorno: 'PROCESSADO',
  codigoSolicitacao: PAYMENT_CODE,
  dataPagamento: '2026-01-10',
  dataOperacao: '2026-01-10',
  ...changes,
})

export const paymentOf = (changes: Record<string, unknown> = {}) => ({
  transacaoPix: {
    contaCorrente: ACCOUNT_NUMBER,
    recebedor: { nome: 'Maria', cpfCnpj: '***.456.789-**' },
    erros: [],
    endToEnd: SENT_ID,
    valor: 10.5,
    status: 'PAGO',
    dataHoraMovimento: '2026-01-10T09:01:02.345678',
    dataHoraSolicitacao: '2026-01-10T09:01:00.527',
    chave: 'maria@example.com',
    codigoSolicitacao: PAYMENT_CODE,
    ...changes,
  },
  historico: [{ status: 'CRIADO', dataHoraEvento: '2026-01-10T09:01:00' }],
})

/** A transaction of the statement: a received PIX that paid no charge. */
export const transactionOf = (changes: Record<string, unknown> = {}) => ({
  idTransacao: 'T1',
  dataInclusao: '2026-01-10',
  dataTransacao: '2026-01-10',
  tipoTransacao: 'PIX',
  tipoOperacao: 'C',
  valor: '12.34',
  titulo: 'Pix recebido',
  descricao: 'PIX RECEBIDO',
  numeroDocumento: '1',
  ...changes,
})
export const pageOf = (...transacoes: unknown[]) => ({
  totalPaginas: 1,
  totalElementos: transacoes.length,
  ultimaPagina: true,
  primeiraPagina: true,
  tamanhoPagina: 500,
  numeroDeElementos: transacoes.length,
  transacoes,
})
export const pixListOf = (...pix: unknown[]) => ({
  parametros: {
    inicio: '2026-01-01T00:00:00Z',
    fim: '2026-01-10T12:00:00Z',
    paginacao: {
      paginaAtual: 0,
      itensPorPagina: 100,
      quantidadeDePaginas: 1,
      quantidadeTotalDeItens: pix.length,
    },
  },
  pix,
})
