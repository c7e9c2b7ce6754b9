import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { REPOSITORY_ROOT, type RepositoryDocument } from './documents.ts'

/** The guide for client developers: Markdown in docs/guide, one file per page and language, with the same names. */

export const GUIDE_LANGUAGES = ['en', 'pt'] as const
export type GuideLanguage = (typeof GUIDE_LANGUAGES)[number]

/** Groups of the sidebar with the names of their pages, in reading order. `index` is the first page of a language. */
export const GUIDE_GROUPS = [
  { title: { en: 'Start', pt: 'Comece aqui' }, names: ['index', 'quick-start', 'requests'] },
  {
    title: { en: 'Guides', pt: 'Guias' },
    names: [
      'charges',
      'recurrences',
      'payment-links',
      'refunds',
      'transfers',
      'disputes',
      'pix-keys',
      'webhooks',
      'reconciliation',
      'go-live',
    ],
  },
  {
    title: { en: 'Look up', pt: 'Consulta' },
    names: ['states', 'fees', 'errors', 'changes', 'simulator', 'tools'],
  },
] as const satisfies { title: Record<GuideLanguage, string>; names: string[] }[]

export type GuidePage = RepositoryDocument & { language: GuideLanguage }

/** Pages of the guide by language, in reading order. The title is the first heading of the file. */
export const GUIDE_PAGES: Record<GuideLanguage, GuidePage[]> = {
  en: listGuidePages('en'),
  pt: listGuidePages('pt'),
}

function listGuidePages(language: GuideLanguage): GuidePage[] {
  return GUIDE_GROUPS.flatMap(({ names }) => [...names]).map(name => {
    const file = `docs/guide/${language}/${name}.md`
    const [, title = name] = /^# (.+)$/m.exec(readFileSync(join(REPOSITORY_ROOT, file), 'utf8')) ?? []
    return { language, name, title, file, path: guidePath(language, name) }
  })
}

/** Path of a page: `/docs/en` for the index, `/docs/en/charges` for the others. */
export function guidePath(language: string, name: string): string {
  return name === 'index' ? `/docs/${language}` : `/docs/${language}/${name}`
}

/** Words around the pages of the documentation; `tag` is the value of HTML's attribute lang. */
export const GUIDE_PHRASES = {
  en: {
    tag: 'en',
    ownName: 'English',
    skip: 'Skip to the text',
    contents: 'Contents',
    documentation: 'Documentation',
    onThisPage: 'On this page',
    previous: 'Previous',
    next: 'Next',
    search: 'Search',
    noResults: 'No results for',
    copy: 'Copy',
    copied: 'Copied',
    reference: 'API reference',
    dashboard: 'Dashboard',
    language: 'Language',
    otherDocuments: 'Operate and contribute',
    section: 'Link to the section',
  },
  pt: {
    tag: 'pt-BR',
    ownName: 'Português',
    skip: 'Ir para o texto',
    contents: 'Conteúdo',
    documentation: 'Documentação',
    onThisPage: 'Nesta página',
    previous: 'Anterior',
    next: 'Próxima',
    search: 'Buscar',
    noResults: 'Nenhum resultado para',
    copy: 'Copiar',
    copied: 'Copiado',
    reference: 'Referência da API',
    dashboard: 'Painel',
    language: 'Idioma',
    otherDocuments: 'Operação e código (em inglês)',
    section: 'Link para a seção',
  },
} as const satisfies Record<GuideLanguage, object>
export type GuidePhrases = Record<keyof (typeof GUIDE_PHRASES)['en'], string>
