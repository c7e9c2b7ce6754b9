import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

export const REPOSITORY_ROOT = join(import.meta.dirname, '../../..')

/** A repository file and its page, `/docs/<name>`. */
export type RepositoryDocument = { name: string; title: string; file: string }

/** Documents of the table of contents, in reading order. */
export const DOCUMENTS = [
  { name: 'readme', title: 'Start here', file: 'README.md' },
  { name: 'webhooks', title: 'Webhooks', file: 'docs/webhooks.md' },
  { name: 'errors', title: 'Errors', file: 'docs/errors.md' },
  { name: 'architecture', title: 'Architecture', file: 'docs/architecture.md' },
  { name: 'database', title: 'Database', file: 'docs/database.md' },
  { name: 'contributing', title: 'Contributing', file: 'CONTRIBUTING.md' },
  { name: 'adding-a-field', title: 'Adding a field', file: 'docs/adding-a-field.md' },
  { name: 'adding-a-list-filter', title: 'Adding a list filter', file: 'docs/adding-a-list-filter.md' },
  { name: 'adding-an-operation', title: 'Adding an operation', file: 'docs/adding-an-operation.md' },
  {
    name: 'adding-a-dashboard-page',
    title: 'Adding a dashboard page',
    file: 'docs/adding-a-dashboard-page.md',
  },
  {
    name: 'adding-an-operators-act',
    title: 'Adding an operator’s act',
    file: 'docs/adding-an-operators-act.md',
  },
  { name: 'dashboard', title: 'Dashboard', file: 'docs/dashboard.md' },
  { name: 'adding-a-provider', title: 'Adding a provider', file: 'docs/adding-a-provider.md' },
  { name: 'crash-semantics', title: 'Crash semantics', file: 'docs/crash-semantics.md' },
  { name: 'efi', title: 'Efí', file: 'docs/providers/efi.md' },
  { name: 'woovi', title: 'Woovi', file: 'docs/providers/woovi.md' },
  { name: 'production', title: 'Production', file: 'docs/production.md' },
  { name: 'runbooks', title: 'Runbooks', file: 'docs/runbooks.md' },
  { name: 'security', title: 'Security', file: 'docs/security.md' },
  { name: 'simulator', title: 'Simulator', file: 'docs/simulator.md' },
  { name: 'specification', title: 'Specification', file: 'docs/specification.md' },
  { name: 'changelog', title: 'Changelog', file: 'CHANGELOG.md' },
] as const satisfies RepositoryDocument[]

/** One page per alert of deploy/alerts.yml, listed in docs/runbooks.md. The title is the name of the alert. */
export const RUNBOOKS: RepositoryDocument[] = listMarkdownNames('docs/runbooks').map(name => ({
  name,
  title: name.replaceAll(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase()),
  file: `docs/runbooks/${name}.md`,
}))

/** Decision records, in the order of their numbers; docs/architecture.md lists them. */
export const DECISIONS: RepositoryDocument[] = listMarkdownNames('docs/decisions').map(name => ({
  name,
  title: `Decision ${name.replaceAll('-', ' ')}`,
  file: `docs/decisions/${name}.md`,
}))

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
export function readRepositoryDocument({ file }: RepositoryDocument): string {
  return readFileSync(join(REPOSITORY_ROOT, file), 'utf8')
}
