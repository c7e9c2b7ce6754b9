import { Markup } from '../../views/markup.ts'

/** SVG paths of decorative icons; the text next to each has the meaning. */
const ICON_PATHS = {
  overview: 'M4 20V10M10 20V4M16 20v-7M22 20H2',
  in: 'M12 3v12m-5-5 5 5 5-5M4 20h16',
  out: 'M12 16V4m-5 5 5-5 5 5M4 20h16',
  calendar: 'M4 6h16v14H4zM4 10h16M8 3v4m8-4v4m-7 7h6',
  back: 'M9 5 4 10l5 5M4 10h10a5 5 0 0 1 0 10h-3',
  ledger: 'M5 3h14v18H5zM9 8h6M9 12h6M9 16h4',
  providers: 'M3 10 12 4l9 6M5 10v8m4.7-8v8m4.6-8v8M19 10v8M3 21h18',
  token: 'M14 10a4 4 0 1 1-4-4 4 4 0 0 1 4 4Zm-1 3 8 8m-4-4 2-2',
  events: 'M12 7v5l3 3M21 12a9 9 0 1 1-9-9 9 9 0 0 1 9 9Z',
  webhooks: 'M13 3 5 14h6l-1 7 8-11h-6z',
  dispute: 'M12 4 2.5 20h19ZM12 10v5m0 2.5v.5',
  gauge: 'M4.5 19a9 9 0 1 1 15 0M12 14l4.5-5.5M12 14v.1',
  key: 'M7 14a3.5 3.5 0 1 1 3.2-5H21v3h-2v3h-3v-3h-5.8A3.5 3.5 0 0 1 7 14Z',
  users:
    'M12.5 8a3.5 3.5 0 1 1-3.5-3.5A3.5 3.5 0 0 1 12.5 8ZM3 20a6 6 0 0 1 12 0M15.5 4.8a3.5 3.5 0 0 1 0 6.4M18 14.8A6 6 0 0 1 21 20',
  settings: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 4.5v5M9 14.5v5',
  external: 'M14 4h6v6m0-6-9 9M18 14v6H4V6h6',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  repeat: 'M4 11V9a3 3 0 0 1 3-3h12m-3-3 3 3-3 3M20 13v2a3 3 0 0 1-3 3H5m3 3-3-3 3-3',
  print: 'M7 9V3h10v6M7 18H4v-7h16v7h-3M7 15h10v6H7z',
  check: 'M5 12.5 10 17.5 19.5 7',
  stop: 'M21 12a9 9 0 1 1-9-9 9 9 0 0 1 9 9ZM6 18 18 6',
  search: 'M17 10.5a6.5 6.5 0 1 1-6.5-6.5 6.5 6.5 0 0 1 6.5 6.5ZM15.5 15.5 21 21',
  link: 'M10 14a4 4 0 0 0 6 .5l3-3a4 4 0 0 0-5.7-5.7l-1.3 1.3M14 10a4 4 0 0 0-6-.5l-3 3a4 4 0 0 0 5.7 5.7l1.3-1.3',
  plus: 'M12 5v14M5 12h14',
  question: 'M21 12a9 9 0 1 1-9-9 9 9 0 0 1 9 9ZM9.6 9.6a2.4 2.4 0 1 1 3.4 2.2c-.7.3-1 .9-1 1.6m0 2.9v.2',
  code: 'M8 7 3 12l5 5m8-10 5 5-5 5',
  accounts: 'M4 21V4h10v17M14 9h6v12M2 21h20M8 8h2m-2 4h2m-2 4h2',
  unequal: 'M5 9h14M5 15h14M16 5 8 19',
  menu: 'M4 7h16M4 12h16M4 17h16',
} as const

export type IconName = keyof typeof ICON_PATHS

export function renderIcon(name: IconName): Markup {
  return new Markup(
    `<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="${ICON_PATHS[name]}"/></svg>`,
  )
}
