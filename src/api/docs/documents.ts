import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

export const REPOSITORY_ROOT = join(import.meta.dirname, '../../..')

/** A repository file and its page; the path of a document's page is `/docs/<name>`. */
export type RepositoryDocument = { name: string; title: string; file: string; path: string }

/** Documents of the table of contents, in reading order: their titles and files. */
export const DOCUMENTS: RepositoryDocument[] = [
  ['Start here', 'README.md'],
  ['Webhooks', 'docs/webhooks.md'],
  ['Errors', 'docs/errors.md'],
  ['Architecture', 'docs/architecture.md'],
  ['Database', 'docs/database.md'],
  ['Contributing', 'CONTRIBUTING.md'],
  ['Adding a field', 'docs/adding-a-field.md'],
  ['Adding a list filter', 'docs/adding-a-list-filter.md'],
  ['Adding an operation', 'docs/adding-an-operation.md'],
  ['Adding a dashboard page', 'docs/adding-a-dashboard-page.md'],
  ['Adding an operator’s act', 'docs/adding-an-operators-act.md'],
  ['Dashboard', 'docs/dashboard.md'],
  ['Adding a provider', 'docs/adding-a-provider.md'],
  ['Crash semantics', 'docs/crash-semantics.md'],
  ...listMarkdownNames('docs/providers').map(name => listProviderPage(`docs/providers/${name}.md`)),
  ['Production', 'docs/production.md'],
  ['Kubernetes', 'docs/kubernetes.md'],
  ['Runbooks', 'docs/runbooks.md'],
  ['Security', 'docs/security.md'],
  ['Retention and personal data', 'docs/retention.md'],
  ['Simulator', 'docs/simulator.md'],
  ['Specification', 'docs/specification.md'],
  ['Changelog', 'CHANGELOG.md'],
].map(([title = '', file = '']) => describeDocument(title, file))

/** One page per alert of deploy/alerts.yml, listed in docs/runbooks.md. The title is the name of the alert. */
export const RUNBOOKS: RepositoryDocument[] = listMarkdownNames('docs/runbooks').map(name =>
  describeDocument(
    name.replaceAll(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase()),
    `docs/runbooks/${name}.md`,
  ),
)

/** Decision records, in the order of their numbers; docs/architecture.md lists them. */
export const DECISIONS: RepositoryDocument[] = listMarkdownNames('docs/decisions').map(name =>
  describeDocument(`Decision ${name.replaceAll('-', ' ')}`, `docs/decisions/${name}.md`),
)

function describeDocument(title: string, file: string): RepositoryDocument {
  const name = basename(file, '.md').toLowerCase()
  return { name, title, file, path: `/docs/${name}` }
}

/** Lists the page of a provider under its heading. */
function listProviderPage(file: string): [title: string, file: string] {
  const [, title = ''] = /^# (.+)/.exec(readRepositoryDocument({ file })) ?? []
  return [title, file]
}

function listMarkdownNames(folder: string): string[] {
  return readdirSync(join(REPOSITORY_ROOT, folder))
    .filter(file => file.endsWith('.md'))
    .map(file => basename(file, '.md'))
    .sort()
}

/** Images of the documents, by file name. */
export const DOCUMENT_IMAGES = readdirSync(join(REPOSITORY_ROOT, 'docs/images')).filter(file =>
  file.endsWith('.png'),
)

/** Reads an image of `DOCUMENT_IMAGES`. */
export function readDocumentImage(name: string): Buffer {
  return readFileSync(join(REPOSITORY_ROOT, 'docs/images', name))
}

/** Reads the Markdown of a document. */
export function readRepositoryDocument({ file }: Pick<RepositoryDocument, 'file'>): string {
  return readFileSync(join(REPOSITORY_ROOT, file), 'utf8')
}
