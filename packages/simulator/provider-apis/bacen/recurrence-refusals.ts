import type { SimulatedResponse } from '../../provider-calls.ts'
import { bacenNotFound, buildBacenProblem } from './problems.ts'
import {
  type BacenFieldRefusals,
  type BacenRecurrenceSubject,
  BODY_PROBLEMS,
  createBacenRefusals,
  QUERY_DETAIL,
  QUERY_TYPES,
} from './refusals.ts'

// The refusals that the Central Bank's text lists for recurrences (pix-api 2.9.0, "Tratamento de erros").

/** The refusals of recurrences and automatic charges in a bank's words. */
export type BacenRecurrenceRefusals = BacenFieldRefusals & {
  /** A rule that a request breaks, in the words of the Central Bank's text, and the field that it is about. */
  invalid(subject: BacenRecurrenceSubject, razao: string, propriedade: string): SimulatedResponse
  invalidQuery(subject: BacenRecurrenceSubject, razao: string, propriedade: string): SimulatedResponse
  notFound(subject: BacenRecurrenceSubject): SimulatedResponse
  txidInUse(): SimulatedResponse
}

export function createBacenRecurrenceRefusals(): BacenRecurrenceRefusals {
  const { invalidFields, invalidRange } = createBacenRefusals()
  const invalid: BacenRecurrenceRefusals['invalid'] = (subject, razao, propriedade) =>
    buildBacenProblem(400, BODY_PROBLEMS[subject][0], {
      title: 'Operação inválida.',
      detail: razao,
      violacoes: [{ razao, propriedade }],
    })
  return {
    invalidFields,
    invalidRange,
    invalid,
    invalidQuery: (subject, razao, propriedade) =>
      buildBacenProblem(400, QUERY_TYPES[subject], {
        title: 'Consulta inválida.',
        detail: QUERY_DETAIL,
        violacoes: [{ razao, propriedade }],
      }),
    notFound: subject => bacenNotFound(...MISSING_ENTITIES[subject]),
    txidInUse: () => invalid('cobr', 'O campo cobr.txid encontra-se em uso.', 'cobr.txid'),
  }
}

const MISSING_ENTITIES: Record<BacenRecurrenceSubject, [type: string, detail: string]> = {
  rec: ['RecNaoEncontrada', 'Recorrência não encontrada para o idRec informado.'],
  solicrec: [
    'SolicRecNaoEncontrada',
    'Solicitação de recorrência não encontrada para o idSolicRec informado.',
  ],
  cobr: ['CobRNaoEncontrado', 'Cobrança não encontrada para o txid informado.'],
  locrec: ['PayloadLocationRecNaoEncontrado', 'Location não encontrada para o id informado.'],
  webhookrec: ['NaoEncontrado', 'Entidade não encontrada.'],
  webhookcobr: ['NaoEncontrado', 'Entidade não encontrada.'],
}
