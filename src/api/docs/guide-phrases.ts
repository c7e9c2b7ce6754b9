import type { GuideLanguage } from './guide-pages.ts'

/** Words around the pages of the documentation. */
export type GuidePhrases = {
  /** Value of HTML's attribute lang. */
  tag: string
  ownName: string
  skip: string
  contents: string
  documentation: string
  onThisPage: string
  previous: string
  next: string
  search: string
  noResults: string
  copy: string
  copied: string
  reference: string
  dashboard: string
  language: string
  otherDocuments: string
  section: string
}

export const GUIDE_PHRASES: Record<GuideLanguage, GuidePhrases> = {
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
}
