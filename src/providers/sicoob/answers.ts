import { absentMeaning, documentAnswers, refusalByProvider } from '../adapter/documented-answers.ts'
import { buildBacenAnswers } from '../bacen/answers.ts'

const CONFIRM_PAGE = 'Sicoob, Pagamentos PIX 2.0.24.6: POST /pagamentos/confirmacao'
const FIND_PAGE = 'Sicoob, Pagamentos PIX 2.0.24.6: GET /pagamentos/{id}'

/**
 * Lists the answers outside 2xx that Sicoob's published OpenAPI documents explain, by call. Names are the last part of a
 * problem's `type` (RFC 7807); `PixDevolucaoInvalida` is followed by the field that it is about, where it names one.
 * docs/providers/sicoob.md shows this table. The URL of sent payments has the answers of that of a key.
 *
 * Left out on purpose: every answer to `POST /pagamentos`, which moves nothing, so that no refusal is needed.
 * `RequisicaoInvalida` of a confirmation counts only once the absence of the payment is proved.
 */
export const sicoobAnswers = documentAnswers({
  ...buildBacenAnswers('Sicoob, API PIX 2.0.23.28'),
  prepareTransfer: [],
  lookUpKey: [],
  sendTransfer: [
    [400, 'RequisicaoInvalida', refusalByProvider('provider_validation'), `${CONFIRM_PAGE} (400)`],
  ],
  findTransfer: [
    [403, 'AcessoNegado', refusalByProvider('provider_denied'), `${FIND_PAGE} (403)`],
    [404, 'NaoEncontrado', absentMeaning, `${FIND_PAGE} (404)`],
  ],
})

export type SicoobCall = keyof typeof sicoobAnswers
