// Notices that stand in place of missing content.

export type NoticeState =
  | { readonly kind: "none" }
  | { readonly kind: "loading" }
  | { readonly kind: "empty"; readonly title: string; readonly hint: string }
  | { readonly kind: "error"; readonly message: string; readonly retry?: () => void };
