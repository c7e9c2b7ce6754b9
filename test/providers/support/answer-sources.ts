import { readFileSync } from 'node:fs'
import type { DocumentedAnswer } from '../../../src/providers/adapter/documented-answers.ts'
import type { OpenContract } from '../../support/openapi-contract.ts'

const STANDARD = 'Central Bank, pix-api 2.9.0, Tratamento de erros'
const standardText = readFileSync(new URL('../openapi/bcb-pix-api-2.9.0.yaml', import.meta.url), 'utf8')

/** A published document: how sources name it, and the path of its operations in `contract`. */
type SourceDocument = { name: string; path?: string; contract: OpenContract }

/**
 * Lists the lines of a table of answers whose source does not have them: an operation of a document that does not list the status,
 * or whose error has another shape than the one that the tests send. Sources other than operations must be among `otherSources`.
 */
export function findSourceViolations(
  answers: Record<string, readonly DocumentedAnswer[]>,
  {
    documents,
    otherSources = [],
    bodyOf,
  }: {
    documents: SourceDocument[]
    otherSources?: string[]
    bodyOf: (name: string, status: number) => unknown
  },
): string[] {
  return Object.values(answers)
    .flat()
    .flatMap(({ name, status, source }) => {
      const [type] = name.split(' ')
      if (source === STANDARD) return standardText.includes(`\`${type}\``) ? [] : [`${name}: ${source}`]
      if (otherSources.includes(source)) return []
      const [, title, method = '', path = '', listed] = /^(.+): ([A-Z]+) (\S+) \((\d+)\)$/.exec(source) ?? []
      const document = documents.find(one => one.name === title)
      if (!document || Number(listed) !== status) return [`${name}: ${source}`]
      return document.contract
        .validateResponse({
          method,
          path: (document.path ?? '') + path,
          status,
          body: bodyOf(name, status),
        })
        .map(violation => `${name}: ${source}: ${violation}`)
    })
}
