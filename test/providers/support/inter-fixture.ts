import type { UnexplainedAnswer } from '../../../src/providers/adapter/unexplained-answers.ts'
import { createInterAdapter } from '../../../src/providers/inter/adapter.ts'
import { okReply } from './efi-fixture.ts'
import { type ProviderFixtureOptions, startScriptedProvider, timeoutMsFor } from './scripted-provider.ts'

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
  pixKey: 'maria@example.com',
  document: null,
  payerKey: null,
  message: 'Aluguel',
}

const TOKEN_PATH = '/oauth/v2/token'

/** A scripted Inter, and an adapter that calls it, at noon of one day. */
export async function openInterFixture({ now = () => NOW, reply }: ProviderFixtureOptions = {}) {
  const scripted = await startScriptedProvider()
  scripted.scriptReplies(
    `POST ${TOKEN_PATH}`,
    okReply({ access_token: 'token', token_type: 'Bearer', expires_in: 3600 }),
  )
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
    /** The calls except those for a token. */
    calls: () => scripted.seen.filter(({ path }) => path !== TOKEN_PATH),
    tokenRequests: () => scripted.seen.filter(({ path }) => path === TOKEN_PATH),
    async [Symbol.asyncDispose]() {
      await provider.close()
      await scripted.close()
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
