// Layout of the pages: head and navigation. No scripts and nothing inline, as the Content-Security-Policy asks.
import { type Html, html } from "./html.ts";

export type NavGroup = {
  readonly title: string;
  readonly links: readonly { readonly anchor: string; readonly text: string }[];
};

export type Page = {
  readonly title: string;
  /** Whether the page lies below /console/api, not at it: links are relative, for proxies' sake. */
  readonly below: boolean;
  readonly current: "overview" | "rest" | "push";
  readonly nav: readonly NavGroup[];
  readonly content: Html;
};

export function pageText({ title, below, current, nav, content }: Page): string {
  // Pages are served without a slash at their end, so `api` is relative to /console/.
  const root = below ? "../" : "";
  const site = [
    ["overview", `${root}api`, "Overview"],
    ["rest", `${root}api/rest`, "REST"],
    ["push", `${root}api/push`, "Push"],
  ] as const;
  const links = site.map(([name, href, text]) =>
    name === current
      ? html`<li><a href="${href}" aria-current="page">${text}</a></li>`
      : html`<li><a href="${href}">${text}</a></li>`,
  );
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" type="image/svg+xml" href="${root}icon.svg">
<link rel="stylesheet" href="${root}api/style.css">
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header>
<a class="brand" href="${root}../console">Hopbook</a>
<nav aria-label="API"><ul>${links}</ul></nav>
</header>
<div class="columns">
${nav.length === 0 ? html`` : navigation(nav)}
<main id="content" tabindex="-1">
${content}
</main>
</div>
</body>
</html>
`;
  return page.html;
}

function navigation(groups: readonly NavGroup[]): Html {
  return html`<nav class="contents" aria-label="On this page">
${groups.map(
  ({ title, links }) => html`<details open><summary>${title}</summary><ul>
${links.map(({ anchor, text }) => html`<li><a href="#${anchor}">${text}</a></li>`)}
</ul></details>`,
)}
</nav>`;
}
