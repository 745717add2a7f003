// Made from docs/openapi.json by `npm run docs`.
export interface paths {
    "/v1/suggest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Names the live pages that the visitor of a dead path wanted.
         * @description The path is freed of noise and spell-corrected, then compared with the contents and paths of your pages and with learned redirects. Without filters the answer may come from a cache, never from before a change of the index. Rules for a host need the host: as part of `path`, or as the header `X-Original-Host`. What a rule asks for beside a page of the project is in the headers `X-Pathmend-Code` and `X-Pathmend-Location`. Of a project in trial the header `X-Pathmend-Trial` is `on`: a client redirects to no page with a score below 1 then.
         *
         *     Needs a key with the scope `read`.
         */
        post: operations["suggest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/semantic-search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answers a question with pages.
         * @description Needs a key with the scope `read`.
         */
        post: operations["semanticSearch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answers a question with whole documents, for retrieval-augmented generation.
         * @description There is no threshold: the nearest documents come with their scores. Documents of 8388608 bytes together at most, as JSON: `omitted` names those that found no room.
         *
         *     Needs a key with the scope `read`.
         */
        post: operations["retrieve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/pages/upsert": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Creates or updates the page of a url and queues its vectorization.
         * @description Safe to repeat. A page is found a moment after it is pushed; until new content is vectorized, the page is found by its old one.
         *
         *     Needs a key with the scope `write`.
         */
        post: operations["upsertPage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/pages/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Removes the page of a url or of an identifier.
         * @description One of `url` and `pageId` is needed. With both, they must be of the same page. A page of another project is answered 403.
         *
         *     Needs a key with the scope `write`.
         */
        delete: operations["deletePage"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/pages/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upserts and deletes up to 1000 pages, with an answer for each.
         * @description First the upserts, then the deletes, each in the order given; a url may come again. One bad item does not fail the others. Each item takes a token of the write rate: 429 when the bucket holds fewer now, and nothing is done; 413 when it can never hold as many. Safe to repeat.
         *
         *     Needs a key with the scope `write`.
         */
        post: operations["batchPages"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/pages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the pages of the project, with their status.
         * @description In the order of `page_id`, which is about that in which they were first pushed. `next_cursor` leads on; null: that was all.
         *
         *     Needs a key with the scope `read`.
         */
        get: operations["listPages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/pages/{page_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Shows one page of the project.
         * @description Needs a key with the scope `read`.
         */
        get: operations["getPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Takes a click on a suggestion, or a 404 that a visitor met.
         * @description With `clicked_url` and `search_id` it is a click; with `raw_path` and neither of them, a 404. A 404 may name the search that answered it: it has `search_id` then, and one of `referrer`, `user_agent`, `user_ip`, `outcome` and `timestamp`, which may be null.
         *
         *     Needs a key with the scope `read`.
         */
        post: operations["sendEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Answers as semantic-search, for callers that can only link.
         * @description Your site's server sends here what is asked of the path that it names in `X-Pathmend-Search`, with the visitor's `User-Agent`: who accepts HTML gets a page with a search field and links, ten unless `limit` says otherwise. With `X-Pathmend-Click` its links count clicks.
         *
         *     Needs a key with the scope `read`.
         */
        get: operations["search"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/proxy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Redirects to the page that a dead url meant, when that is nearly certain.
         * @description The 404 is recorded with its outcome, as by `GET /v1/not-found`.
         *
         *     Needs a key with the scope `read`.
         */
        get: operations["proxy"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/not-found": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What a reverse proxy shows for a 404: a redirect, or a page with suggestions.
         * @description For servers that cannot run code. The answer is HTML, JSON or Markdown, by `Accept`; assistants by their user agent get Markdown in place of HTML. Errors are JSON. The 404 is recorded with its outcome, with the request's `User-Agent`, and with the visitor's address where `TRUSTED_PROXIES` names the proxy. A server that cannot encode a query string sends the path as the header `X-Original-URI` instead of `url`, and the host, which rules for a host need, as `X-Original-Host`. A server that sends a path of its own to `GET /v1/click` names it in `X-Pathmend-Click`: the links of the HTML page go there. A server that sends a path to `GET /v1/search` names it in `X-Pathmend-Search`: the HTML page has a search field for it, if the project names no search of the site.
         *
         *     Needs a key with the scope `read`.
         */
        get: operations["notFound"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/click": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follows a link of the 404 page, and counts the click.
         * @description Your site's server sends here, with the visitor's `User-Agent`, what is asked of the path that it names to `GET /v1/not-found` in `X-Pathmend-Click`. A click counts once for a search and rank, and neither for robots nor where a browser fetches ahead (`Sec-Purpose`, `Purpose`).
         *
         *     Needs a key with the scope `read`.
         */
        get: operations["click"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/llms.txt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the project's pages for assistants, as llms.txt.
         * @description Markdown as https://llmstxt.org describes it: the project, then its indexed pages by section, which is the first segment of their path. A page whose metadata have a `description` is listed with it. Your server answers `/llms.txt` with this, and caches it.
         *
         *     Needs a key with the scope `read`.
         */
        get: operations["llmsTxt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the rules of the project, by path.
         * @description Needs a key with the scope `rules`.
         */
        get: operations["listRules"];
        put?: never;
        /**
         * Makes rules, all or none. A rule for the same path, host and parameters is replaced.
         * @description The body is one rule, or `{"rules": […]}` with up to a thousand. Together they are one change, and undone together. A project may have 1,000 wildcards and patterns.
         *
         *     Needs a key with the scope `rules`.
         */
        post: operations["addRules"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/rules/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Removes a rule.
         * @description Needs a key with the scope `rules`.
         */
        delete: operations["removeRule"];
        options?: never;
        head?: never;
        /**
         * Changes some fields of a rule. With another path or host it gets another identifier.
         * @description Needs a key with the scope `rules`.
         */
        patch: operations["changeRule"];
        trace?: never;
    };
    "/v1/rules/try": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Shows which rules decide about some paths, with other rules as if they were made. Changes nothing.
         * @description Needs a key with the scope `rules`.
         */
        post: operations["tryRules"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/rules/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists what was changed about rules, the latest first. Each change can be undone.
         * @description Needs a key with the scope `rules`.
         */
        get: operations["listRuleChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/rules/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Takes back a change: the rules that it replaced are in force again.
         * @description Needs a key with the scope `rules`.
         */
        post: operations["undoRuleChange"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the links of the site that led to no page when it was last crawled.
         * @description A crawl is `pages sync URL --crawl`. Those that most pages have come first. Each crawl replaces what the one before met. `next_cursor` leads on; null: that was all. With `broken=true` an answer may hold fewer than `limit` and lead on all the same.
         *
         *     Needs a key with the scope `read`.
         */
        get: operations["listLinks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description Only pages whose metadata match all of these: a field of that name that equals the value, or is a list that contains it. Types matter: `"true"` is not `true`. */
        Filters: {
            [key: string]: string | number | boolean | null;
        };
        Suggestion: {
            /** @description The page's path, with its query string if it has one. */
            url: string;
            /** @description The page's title, or its last path segment made readable. */
            title: string;
            /** @description How certain it is that this page was meant. */
            score: number;
            /** @description As the page was pushed with; absent when it has none. */
            metadata?: {
                [key: string]: unknown;
            };
            /** @description Asked for with `options.explain`: the `words` that a path was read as, spelling `corrections`, the `rule` that leads to the page or the `rewriting` by which redirects do, what visitors have `chosen` where that raised the score (clicks on the page, and of how many; or the section whose visitors chose so), why the score is `bounded` where it is the most that it may be, the `doubts` that make a guess clearly less sure, the strongest first, why the path is proposed as `gone` where the best page does not stand for it, and each kind of `evidence` with its share in what moved the page up among the others. */
            explanation?: {
                [key: string]: unknown;
            };
        };
        Suggestions: {
            suggestions: components["schemas"]["Suggestion"][];
            /** @description Of this search; a click event sends it back. */
            search_id: string;
        };
        Document: {
            /** @description The page's identifier. */
            id: string;
            /** @description The page's full url. */
            url: string;
            /** @description Absent when the page has none. */
            title?: string;
            /** @description All of it, as it was pushed. */
            content: string;
            /** @description How certain it is that this page was meant. */
            score: number;
            /** @description As the page was pushed with; absent when it has none. */
            metadata?: {
                [key: string]: unknown;
            };
        };
        OmittedDocument: {
            /** @description `GET /v1/pages/{page_id}?content=true` has its content. */
            id: string;
            /** @description The page's full url. */
            url: string;
            /** @description How certain it is that this page was meant. */
            score: number;
            /** @description Of its content and metadata, in UTF-8. */
            bytes: number;
        };
        Documents: {
            documents: components["schemas"]["Document"][];
            /** @description Found, and too large for the rest of this answer. Absent where everything found room. */
            omitted?: components["schemas"]["OmittedDocument"][];
        };
        Page: {
            /** @description Absolute, http or https; a page of the same url is updated. */
            url: string;
            /** @description The page's whole text, plain or Markdown. HTML is kept as it is, and found by its text. */
            content: string;
            /** @description Absent: what is stored stays; null clears it. */
            title?: string | null;
            /** @description Anything of yours, to filter by and to get back; at most 65536 bytes as JSON and 32 levels. Absent: what is stored stays; null clears it. */
            metadata?: {
                [key: string]: unknown;
            } | null;
        };
        UpsertedPage: {
            /** @description The page's identifier. */
            page_id: string;
            /**
             * @description `INDEXED` pages are found by their present content.
             * @enum {string}
             */
            status: "PENDING_VECTORIZATION" | "PROCESSING" | "INDEXED" | "ERROR";
            /**
             * @description What was done; `updated_metadata` where nothing changed, too.
             * @enum {string}
             */
            action: "created" | "updated_content" | "updated_metadata";
            /** @description The same for people. */
            message: string;
        };
        DeletedPage: {
            /** @enum {string} */
            status: "success";
            message: string;
            /** @description The page's identifier. */
            pageId: string;
            url: string;
        };
        BatchResult: {
            /** @description As given; null if it is not a string. */
            url: string | null;
            /** @description The page's identifier. */
            page_id?: string;
            /**
             * @description The page's, as upsert answers it; `success` of a delete.
             * @enum {string}
             */
            status?: "PENDING_VECTORIZATION" | "PROCESSING" | "INDEXED" | "ERROR" | "success";
            /**
             * @description What was done; `updated_metadata` where nothing changed, too.
             * @enum {string}
             */
            action?: "created" | "updated_content" | "updated_metadata" | "deleted";
            /** @description Why nothing was done; in place of the other fields. */
            error?: {
                /**
                 * @description What happened, for programs.
                 * @enum {string}
                 */
                code: "invalid_request" | "invalid_api_key" | "insufficient_permissions" | "not_found" | "method_not_allowed" | "payload_too_large" | "rate_limit_exceeded" | "internal_error" | "overloaded";
                /** @description What is wrong and what would be right, for people. */
                message: string;
                /** @description The field that is wrong, as a dotted path: `options.filters.category`. */
                param?: string;
                /** @description More about it: with `internal_error` the `request_id` under which the log has it. */
                details?: {
                    [key: string]: unknown;
                };
            };
        };
        BatchResults: {
            results: components["schemas"]["BatchResult"][];
        };
        StoredPage: {
            /** @description The page's identifier. */
            page_id: string;
            /** @description Normalized. */
            url: string;
            title: string | null;
            /** @enum {string} */
            status: "PENDING_VECTORIZATION" | "PROCESSING" | "INDEXED" | "ERROR";
            /** @description Why the page is in `ERROR`, in words. */
            error: string | null;
            /** @description Of the last upsert that changed it. */
            updated_at: string;
            /** @description Since when it is found by its content; null: not yet. */
            indexed_at: string | null;
        };
        PageList: {
            pages: components["schemas"]["StoredPage"][];
            next_cursor: string | null;
        };
        StoredPageWithContent: {
            /** @description The page's identifier. */
            page_id: string;
            /** @description Normalized. */
            url: string;
            title: string | null;
            /** @enum {string} */
            status: "PENDING_VECTORIZATION" | "PROCESSING" | "INDEXED" | "ERROR";
            /** @description Why the page is in `ERROR`, in words. */
            error: string | null;
            /** @description Of the last upsert that changed it. */
            updated_at: string;
            /** @description Since when it is found by its content; null: not yet. */
            indexed_at: string | null;
            /** @description As it was pushed. */
            content?: string;
        };
        ClickEvent: {
            /** @description The url that was clicked, as the suggestion had it. */
            clicked_url: string;
            /** @description Its place among the suggestions, from 1 on. */
            clicked_rank: number;
            /** @description The path or query that was searched for. */
            raw_path: string;
            /** @description From the search's answer. */
            search_id: string;
            /** @description The site: scheme and host. */
            origin?: string | null;
            /** @description ISO 8601; absent: now. It is kept beside the time at which the click arrived, by which it is counted, and may be any. */
            timestamp?: string | null;
        };
        NotFoundEvent: {
            /** @description The path that was not found. */
            raw_path: string;
            /** @description The site: scheme and host. */
            origin?: string | null;
            /** @description The url of the page that led there. */
            referrer?: string | null;
            /** @description The visitor's browser. */
            user_agent?: string | null;
            /** @description The visitor's IP address. `EVENT_IP_MODE` decides how much of it is kept. Another text is stored as null. */
            user_ip?: string | null;
            /** @description Of the search that answered this 404. Needs `referrer`, `user_agent`, `user_ip`, `outcome` or `timestamp` beside it. */
            search_id?: string | null;
            /**
             * @description What the visitor was given; absent: by the search's answer.
             * @enum {unknown}
             */
            outcome?: "redirected" | "suggested" | "nothing" | "gone" | null;
            /** @description ISO 8601; absent: now. Of the past as far as `EVENT_RETENTION_DAYS` goes, not of the future. */
            timestamp?: string | null;
        };
        Error: {
            error: {
                /**
                 * @description What happened, for programs.
                 * @enum {string}
                 */
                code: "invalid_request" | "invalid_api_key" | "insufficient_permissions" | "not_found" | "method_not_allowed" | "payload_too_large" | "rate_limit_exceeded" | "internal_error" | "overloaded";
                /** @description What is wrong and what would be right, for people. */
                message: string;
                /** @description The field that is wrong, as a dotted path: `options.filters.category`. */
                param?: string;
                /** @description More about it: with `internal_error` the `request_id` under which the log has it. */
                details?: {
                    [key: string]: unknown;
                };
            };
        };
        Rule: {
            /** @description The rule's identifier. */
            id: string;
            path: string;
            host: string | null;
            /** @enum {string} */
            match: "path" | "prefix" | "pattern";
            /** @description `ignore`, or the parameters that must be there. */
            query: string | Record<string, never>;
            /** @enum {string} */
            action: "redirect" | "gone" | "ignore";
            target: string | null;
            /** @description Null of what is ignored. */
            code: number | null;
            pass_query: boolean;
            /** @description ISO 8601. */
            valid_from: string | null;
            /** @description ISO 8601. */
            valid_until: string | null;
            /**
             * @description `waiting`: the page that it leads to does not exist or is not indexed.
             * @enum {string}
             */
            status: "active" | "waiting" | "not yet" | "ended";
            /** @description import, sync, person, console or learned. */
            source: string;
            made_by: string | null;
            created_at: string;
            /** @description Answers that it decided. */
            hits: number;
            last_hit_at: string | null;
        };
        RuleList: {
            rules: components["schemas"]["Rule"][];
            next_cursor: string | null;
        };
        RuleWithoutHits: {
            path: string;
            host: string | null;
            /** @enum {string} */
            match: "path" | "prefix" | "pattern";
            /** @description `ignore`, or the parameters that must be there. */
            query: string | Record<string, never>;
            /** @enum {string} */
            action: "redirect" | "gone" | "ignore";
            target: string | null;
            /** @description Null of what is ignored. */
            code: number | null;
            pass_query: boolean;
            /** @description ISO 8601. */
            valid_from: string | null;
            /** @description ISO 8601. */
            valid_until: string | null;
        };
        RulesChanged: {
            /** @description For undo; null: all was so before. */
            change_id: number | null;
            rules: {
                /** @description The rule's identifier. */
                id: string;
                /** @enum {string} */
                outcome: "created" | "replaced" | "unchanged" | "removed";
                rule: components["schemas"]["RuleWithoutHits"] | null;
                /** @description What the path had before. */
                replaced: components["schemas"]["RuleWithoutHits"] | null;
            }[];
        };
        TriedRules: {
            answers: {
                path: string;
                rule: components["schemas"]["RuleWithoutHits"] | null;
                /** @description The Location; null: no page yet, gone or no rule. */
                to: string | null;
            }[];
        };
        RuleChangeList: {
            changes: {
                change_id: number;
                changed_at: string;
                changed_by: string;
                kind: string;
                /** @description Rules that it changed. */
                count: number;
                rules: Record<string, never>[];
            }[];
            next_cursor: string | null;
        };
        RulesUndone: {
            change_id: number | null;
            changed: number;
            unchanged: number;
        };
        BrokenLink: {
            url: string;
            /** @description Null: there was no answer, or none that ends. */
            status: number | null;
            /** @description What was answered, in words. */
            answer: string;
            /** @description The first 20 pages that have it. */
            pages: string[];
            /** @description How many pages have it. */
            page_count: number;
            /** @description When the crawl ended. */
            checked_at: string;
            /** @description It has no rule and no page since. */
            broken: boolean;
            /** @description Where a rule leads; null: nowhere. */
            leads_to: string | null;
        };
        LinkList: {
            links: components["schemas"]["BrokenLink"][];
            next_cursor: string | null;
        };
    };
    responses: {
        /** @description `invalid_request`: The request is not valid. */
        invalid_request: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Pathmend-Warning": components["headers"]["X-Pathmend-Warning"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "code": "invalid_request",
                 *         "message": "The request is not valid."
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `invalid_api_key`: The API key is missing, malformed, unknown, revoked or expired. */
        invalid_api_key: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "code": "invalid_api_key",
                 *         "message": "The API key is missing, malformed, unknown, revoked or expired."
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `insufficient_permissions`: This API key may not do that. */
        insufficient_permissions: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "code": "insufficient_permissions",
                 *         "message": "This API key may not do that."
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `not_found`: There is nothing at this address. */
        not_found: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Pathmend-Warning": components["headers"]["X-Pathmend-Warning"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "code": "not_found",
                 *         "message": "There is nothing at this address."
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `method_not_allowed`: This address does not take that method. */
        method_not_allowed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                Allow: components["headers"]["Allow"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "code": "method_not_allowed",
                 *         "message": "This address does not take that method."
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `payload_too_large`: The request body is too large. */
        payload_too_large: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "code": "payload_too_large",
                 *         "message": "The request body is too large."
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `rate_limit_exceeded`: Too many requests: the rate limit of this project is used up. */
        rate_limit_exceeded: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "code": "rate_limit_exceeded",
                 *         "message": "Too many requests: the rate limit of this project is used up."
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `internal_error`: Something went wrong on our side. */
        internal_error: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "code": "internal_error",
                 *         "message": "Something went wrong on our side."
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `overloaded`: The service is busy: try again in a moment. */
        overloaded: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "code": "overloaded",
                 *         "message": "The service is busy: try again in a moment."
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description An error of the same form, such as 408 for a request that came too slowly, or 431 for one whose head is too large. */
        other: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description The id of the request, also in the log: the caller's own if it is a safe one, else a new one. */
        "X-Request-Id": string;
        /** @description Requests that the project may send at once: its bucket's burst. Reads and writes have a bucket each. */
        "X-RateLimit-Limit": number;
        /** @description Requests left in the bucket. */
        "X-RateLimit-Remaining": number;
        /** @description Unix seconds at which the bucket is full again. */
        "X-RateLimit-Reset": number;
        /** @description Seconds to wait before the next try. */
        "Retry-After": number;
        /** @description Sent when the request has unknown fields, which are ignored: their names, and the fields that were probably meant. */
        "X-Pathmend-Warning": string;
        /** @description `Bearer` */
        "WWW-Authenticate": string;
        /** @description The methods that this address takes. */
        Allow: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    suggest: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The path that was not found, as the browser sent it; a full url will do. 1 to 2048 characters after trimming. */
                    path: string;
                    /**
                     * @description Answers at most.
                     * @default 3
                     */
                    limit?: number;
                    options?: {
                        /** @description Pages to leave out: full urls or paths. */
                        excludeUrls?: string[];
                        /**
                         * @description Minimum score of an answer. 0.7, the default, is for one link that is probably right: three of four dead paths get one, and nine of ten of those are right. For a list "did you mean", from which a visitor chooses, 0.1: the right page is among the links more often. Above 0.9 a redirect is nearly certain. Questions score lower. Figures: docs/evidence/relevance.md.
                         * @default 0.7
                         */
                        searchThreshold?: number;
                        filters?: components["schemas"]["Filters"];
                        /**
                         * @description Whether each suggestion says why it is one.
                         * @default false
                         */
                        explain?: boolean;
                    };
                };
            };
        };
        responses: {
            /** @description Pages, best first; none when no page is near enough. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Pathmend-Warning": components["headers"]["X-Pathmend-Warning"];
                    /** @description Where a rule decided: the status that it asks for, 301, 302, 303, 307 or 308; 410 or 451 for what is gone. */
                    "X-Pathmend-Code"?: string;
                    /** @description With it, of a redirect: a path of the site, or an address on another host. */
                    "X-Pathmend-Location"?: string;
                    /** @description Where the project is in trial: `on`. Only what has the score 1, or a code, may redirect then. */
                    "X-Pathmend-Trial"?: string;
                    /** @description The kind of visitor by `User-Agent`, if it is an assistant: `assistant`. */
                    "X-Pathmend-Visitor"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "suggestions": [
                     *         {
                     *           "url": "/help/returns",
                     *           "title": "Returns and refunds",
                     *           "score": 0.9312,
                     *           "metadata": {
                     *             "section": "help"
                     *           }
                     *         }
                     *       ],
                     *       "search_id": "507d2d7f-b6f1-4881-9f89-e3f184df2bc0"
                     *     }
                     */
                    "application/json": components["schemas"]["Suggestions"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["invalid_api_key"];
            403: components["responses"]["insufficient_permissions"];
            405: components["responses"]["method_not_allowed"];
            413: components["responses"]["payload_too_large"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["overloaded"];
            default: components["responses"]["other"];
        };
    };
    semanticSearch: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description A question or some words, taken as they are. 1 to 2000 characters after trimming. */
                    query: string;
                    /**
                     * @description Answers at most.
                     * @default 3
                     */
                    limit?: number;
                    options?: {
                        /** @description Pages to leave out: full urls or paths. */
                        excludeUrls?: string[];
                        /**
                         * @description Minimum score of an answer. 0.7, the default, is for one link that is probably right: three of four dead paths get one, and nine of ten of those are right. For a list "did you mean", from which a visitor chooses, 0.1: the right page is among the links more often. Above 0.9 a redirect is nearly certain. Questions score lower. Figures: docs/evidence/relevance.md.
                         * @default 0.7
                         */
                        searchThreshold?: number;
                        filters?: components["schemas"]["Filters"];
                        /**
                         * @description Whether each suggestion says why it is one.
                         * @default false
                         */
                        explain?: boolean;
                    };
                };
            };
        };
        responses: {
            /** @description Pages, best first; none when no page is near enough. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Pathmend-Warning": components["headers"]["X-Pathmend-Warning"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "suggestions": [
                     *         {
                     *           "url": "/help/returns",
                     *           "title": "Returns and refunds",
                     *           "score": 0.9312,
                     *           "metadata": {
                     *             "section": "help"
                     *           }
                     *         }
                     *       ],
                     *       "search_id": "507d2d7f-b6f1-4881-9f89-e3f184df2bc0"
                     *     }
                     */
                    "application/json": components["schemas"]["Suggestions"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["invalid_api_key"];
            403: components["responses"]["insufficient_permissions"];
            405: components["responses"]["method_not_allowed"];
            413: components["responses"]["payload_too_large"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["overloaded"];
            default: components["responses"]["other"];
        };
    };
    retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description A question, taken as it is. 1 to 2000 characters after trimming. */
                    query: string;
                    /**
                     * @description Answers at most.
                     * @default 3
                     */
                    top_k?: number;
                    filters?: components["schemas"]["Filters"];
                };
            };
        };
        responses: {
            /** @description Documents, best first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Pathmend-Warning": components["headers"]["X-Pathmend-Warning"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "documents": [
                     *         {
                     *           "id": "6b0108326d41a6572507c82a",
                     *           "url": "https://www.example.com/help/returns",
                     *           "title": "Returns and refunds",
                     *           "content": "How to send a parcel back, and when your money arrives.",
                     *           "score": 0.9101,
                     *           "metadata": {
                     *             "section": "help"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Documents"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["invalid_api_key"];
            403: components["responses"]["insufficient_permissions"];
            405: components["responses"]["method_not_allowed"];
            413: components["responses"]["payload_too_large"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["overloaded"];
            default: components["responses"]["other"];
        };
    };
    upsertPage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Page"];
            };
        };
        responses: {
            /** @description Stored, and queued where it has to be vectorized. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Pathmend-Warning": components["headers"]["X-Pathmend-Warning"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "page_id": "6b0108326d41a6572507c82a",
                     *       "status": "PENDING_VECTORIZATION",
                     *       "action": "created",
                     *       "message": "The page was created and queued for vectorization."
                     *     }
                     */
                    "application/json": components["schemas"]["UpsertedPage"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["invalid_api_key"];
            403: components["responses"]["insufficient_permissions"];
            405: components["responses"]["method_not_allowed"];
            413: components["responses"]["payload_too_large"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["overloaded"];
            default: components["responses"]["other"];
        };
    };
    deletePage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The page's full url. */
                    url?: string;
                    /** @description 24 lower-case hexadecimal characters. */
                    pageId?: string;
                };
            };
        };
        responses: {
            /** @description Removed, with its vectors and its waiting work. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Pathmend-Warning": components["headers"]["X-Pathmend-Warning"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "success",
                     *       "message": "The page was deleted.",
                     *       "pageId": "6b0108326d41a6572507c82a",
                     *       "url": "https://www.example.com/help/returns"
                     *     }
                     */
                    "application/json": components["schemas"]["DeletedPage"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["invalid_api_key"];
            403: components["responses"]["insufficient_permissions"];
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            413: components["responses"]["payload_too_large"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["overloaded"];
            default: components["responses"]["other"];
        };
    };
    batchPages: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Pages as upsert takes them. */
                    pages?: components["schemas"]["Page"][];
                    /** @description Urls of pages to delete. With `pages` at most 1000. */
                    delete?: string[];
                };
            };
        };
        responses: {
            /** @description A result for each item: the pages, then the deletes. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Pathmend-Warning": components["headers"]["X-Pathmend-Warning"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "results": [
                     *         {
                     *           "url": "https://www.example.com/help/returns",
                     *           "page_id": "6b0108326d41a6572507c82a",
                     *           "status": "PENDING_VECTORIZATION",
                     *           "action": "created"
                     *         },
                     *         {
                     *           "url": "https://www.example.com/help/old-returns",
                     *           "error": {
                     *             "code": "not_found",
                     *             "message": "The project has no page with this url.",
                     *             "param": "delete.0"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["BatchResults"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["invalid_api_key"];
            403: components["responses"]["insufficient_permissions"];
            405: components["responses"]["method_not_allowed"];
            413: components["responses"]["payload_too_large"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["overloaded"];
            default: components["responses"]["other"];
        };
    };
    listPages: {
        parameters: {
            query?: {
                /** @description Only pages of this status. */
                status?: "PENDING_VECTORIZATION" | "PROCESSING" | "INDEXED" | "ERROR";
                /**
                 * @description Only the page of this url.
                 * @example https://www.example.com/help/returns
                 */
                url?: string;
                /** @description Pages at most. */
                limit?: number;
                /** @description The `next_cursor` of the answer before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Some pages, and where the next ones begin. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Pathmend-Warning": components["headers"]["X-Pathmend-Warning"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "pages": [
                     *         {
                     *           "page_id": "6b0108326d41a6572507c82a",
                     *           "url": "https://www.example.com/help/returns",
                     *           "title": "Returns and refunds",
                     *           "status": "INDEXED",
                     *           "error": null,
                     *           "updated_at": "2026-03-14T09:26:53.589Z",
                     *           "indexed_at": "2026-03-14T09:26:54.793Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["PageList"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["invalid_api_key"];
            403: components["responses"]["insufficient_permissions"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["overloaded"];
            default: components["responses"]["other"];
        };
    };
    getPage: {
        parameters: {
            query?: {
                /** @description Whether the answer holds the content, too. */
                content?: boolean;
            };
            header?: never;
            path: {
                /** @description The page's identifier. */
                page_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Pathmend-Warning": components["headers"]["X-Pathmend-Warning"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "page_id": "6b0108326d41a6572507c82a",
                     *       "url": "https://www.example.com/help/returns",
                     *       "title": "Returns and refunds",
                     *       "status": "INDEXED",
                     *       "error": null,
                     *       "updated_at": "2026-03-14T09:26:53.589Z",
                     *       "indexed_at": "2026-03-14T09:26:54.793Z"
                     *     }
                     */
                    "application/json": components["schemas"]["StoredPageWithContent"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["invalid_api_key"];
            403: components["responses"]["insufficient_permissions"];
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["overloaded"];
            default: components["responses"]["other"];
        };
    };
    sendEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ClickEvent"] | components["schemas"]["NotFoundEvent"];
            };
        };
        responses: {
            /** @description Durably queued. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Pathmend-Warning": components["headers"]["X-Pathmend-Warning"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["invalid_api_key"];
            403: components["responses"]["insufficient_permissions"];
            405: components["responses"]["method_not_allowed"];
            413: components["responses"]["payload_too_large"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["overloaded"];
            default: components["responses"]["other"];
        };
    };
    search: {
        parameters: {
            query: {
                /**
                 * @description A question or some words. 1 to 2000 characters after trimming.
                 * @example returns and refunds
                 */
                query: string;
                /** @description `words`: for what is still typed. The pages that have these words, the last of which may be unfinished; without the model. Such a search is not stored. */
                by?: "meaning" | "words";
                /** @description Answers at most. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Pages, best first; none when no page is near enough. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Pathmend-Warning": components["headers"]["X-Pathmend-Warning"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "suggestions": [
                     *         {
                     *           "url": "/help/returns",
                     *           "title": "Returns and refunds",
                     *           "score": 0.9312,
                     *           "metadata": {
                     *             "section": "help"
                     *           }
                     *         }
                     *       ],
                     *       "search_id": "507d2d7f-b6f1-4881-9f89-e3f184df2bc0"
                     *     }
                     */
                    "application/json": components["schemas"]["Suggestions"];
                    "text/html": string;
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["invalid_api_key"];
            403: components["responses"]["insufficient_permissions"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["overloaded"];
            default: components["responses"]["other"];
        };
    };
    proxy: {
        parameters: {
            query: {
                /**
                 * @description The url or path that was not found. 1 to 2048 characters after trimming.
                 * @example /support/return-a-parcel
                 */
                url: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Where a rule of the project leads, on any host, with the rule's own code (301 unless it says 302, 303, 307 or 308); else to an indexed page of the project, whose score is over the project's redirect threshold (0.9 unless set). */
            302: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Pathmend-Warning": components["headers"]["X-Pathmend-Warning"];
                    /** @description The full url of the page, or the address in the rule. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["invalid_api_key"];
            403: components["responses"]["insufficient_permissions"];
            /** @description `not_found`: no page is near enough. `error.details` holds `suggestions` and `search_id`, as suggest answers them. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Pathmend-Warning": components["headers"]["X-Pathmend-Warning"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": {
                     *         "code": "not_found",
                     *         "message": "No page is near enough to this url to redirect to it.",
                     *         "details": {
                     *           "suggestions": [],
                     *           "search_id": "507d2d7f-b6f1-4881-9f89-e3f184df2bc0"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            405: components["responses"]["method_not_allowed"];
            /** @description The same where a rule says that the path is gone: 410, or 451 by its code. */
            410: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Pathmend-Warning": components["headers"]["X-Pathmend-Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["overloaded"];
            default: components["responses"]["other"];
        };
    };
    notFound: {
        parameters: {
            query: {
                /**
                 * @description The url or path that was not found. 1 to 2048 characters after trimming.
                 * @example /support/return-a-parcel
                 */
                url: string;
                /** @description The url of the page that led there. */
                referrer?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Where a rule of the project leads, on any host, with the rule's own code (301 unless it says 302, 303, 307 or 308); else to an indexed page of the project, whose score is over the project's redirect threshold (0.9 unless set). */
            302: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Pathmend-Warning": components["headers"]["X-Pathmend-Warning"];
                    /** @description The full url of the page, or the address in the rule. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["invalid_api_key"];
            403: components["responses"]["insufficient_permissions"];
            /** @description The page to show. As JSON `not_found`, with `suggestions` and `search_id` in `error.details`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Pathmend-Warning": components["headers"]["X-Pathmend-Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "text/html": string;
                    "text/markdown": string;
                };
            };
            405: components["responses"]["method_not_allowed"];
            /** @description The same for a path that is gone for good: 410, or 451 by its rule. */
            410: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Pathmend-Warning": components["headers"]["X-Pathmend-Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "text/html": string;
                    "text/markdown": string;
                };
            };
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["overloaded"];
            default: components["responses"]["other"];
        };
    };
    click: {
        parameters: {
            query: {
                /** @description From the search's answer. */
                search_id: string;
                /** @description Its place among the suggestions, from 1 on. */
                rank: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description To the page that the search showed there. */
            302: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Pathmend-Warning": components["headers"]["X-Pathmend-Warning"];
                    /** @description Its url; its path if it was deleted. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["invalid_api_key"];
            403: components["responses"]["insufficient_permissions"];
            /** @description `not_found`: the project has no such search, or it showed fewer pages. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Pathmend-Warning": components["headers"]["X-Pathmend-Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["overloaded"];
            default: components["responses"]["other"];
        };
    };
    llmsTxt: {
        parameters: {
            query?: {
                /**
                 * @description Only pages whose path begins so.
                 * @example /help/
                 */
                section?: string;
                /** @description Pages at most, the first in the order of their paths; fewer where their urls and titles are longer than a million characters. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The pages. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Pathmend-Warning": components["headers"]["X-Pathmend-Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "text/markdown": string;
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["invalid_api_key"];
            403: components["responses"]["insufficient_permissions"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["overloaded"];
            default: components["responses"]["other"];
        };
    };
    listRules: {
        parameters: {
            query?: {
                /** @description Only those for it; empty: those for any. */
                host?: string;
                /** @description One of active, not yet, ended. */
                status?: "active" | "not yet" | "ended";
                /** @description One of redirect, gone, ignore. */
                action?: "redirect" | "gone" | "ignore";
                /** @description In their host, path or target. */
                search?: string;
                /** @description A whole number from 1 to 1000. */
                limit?: number;
                /** @description The `next_cursor` of the answer before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Some rules, and where the next ones begin. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Pathmend-Warning": components["headers"]["X-Pathmend-Warning"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "rules": [
                     *         {
                     *           "id": "9f2c5d3e0a4b6c7d8e9f00112233445566778899aabbccddeeff001122334455",
                     *           "path": "/old",
                     *           "host": null,
                     *           "match": "path",
                     *           "query": "ignore",
                     *           "action": "redirect",
                     *           "target": "/new#part",
                     *           "code": 302,
                     *           "pass_query": false,
                     *           "valid_from": null,
                     *           "valid_until": null,
                     *           "status": "active",
                     *           "source": "person",
                     *           "made_by": "API key deploy",
                     *           "created_at": "2026-03-14T09:26:53.589Z",
                     *           "hits": 12,
                     *           "last_hit_at": "2026-03-15T10:00:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["RuleList"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["invalid_api_key"];
            403: components["responses"]["insufficient_permissions"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["overloaded"];
            default: components["responses"]["other"];
        };
    };
    addRules: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description `/old`, `/old/*` for all paths below, or a pattern: `/p-:id.html`, `/blog/:number/*`. A full url names the host, too.
                     * @example /old
                     */
                    path?: string;
                    /** @description The host that it is for; null: any. */
                    host?: string | null;
                    /**
                     * @description `path` takes every letter of the path as it is; `prefix` takes `/old/` as `/old/*`. Else it must be what the path reads as.
                     * @enum {string}
                     */
                    match?: "path" | "prefix" | "pattern";
                    /** @description Parameters that must be there, in any order; others may be beside them. Those for tracking never matter. */
                    query?: string | {
                        [key: string]: string;
                    };
                    /**
                     * @description One of redirect, gone, ignore.
                     * @default redirect
                     * @enum {string}
                     */
                    action?: "redirect" | "gone" | "ignore";
                    /**
                     * @description A path of the site, or any url; `:splat` stands for the star, `:id` for the placeholder of that name.
                     * @example /new#part
                     */
                    target?: string | null;
                    /**
                     * @description 301 unless given; of what is gone 410.
                     * @enum {integer|null}
                     */
                    code?: 301 | 302 | 303 | 307 | 308 | 410 | 451 | null;
                    /**
                     * @description Whether the query string is passed on to the target.
                     * @default false
                     */
                    pass_query?: boolean;
                    /** @description A date or moment, from which on it holds; a date from 00:00 UTC. */
                    valid_from?: string | null;
                    /** @description A moment, up to which it holds; or a date, which is its last whole day in UTC. */
                    valid_until?: string | null;
                    rules?: {
                        /**
                         * @description `/old`, `/old/*` for all paths below, or a pattern: `/p-:id.html`, `/blog/:number/*`. A full url names the host, too.
                         * @example /old
                         */
                        path: string;
                        /** @description The host that it is for; null: any. */
                        host?: string | null;
                        /**
                         * @description `path` takes every letter of the path as it is; `prefix` takes `/old/` as `/old/*`. Else it must be what the path reads as.
                         * @enum {string}
                         */
                        match?: "path" | "prefix" | "pattern";
                        /** @description Parameters that must be there, in any order; others may be beside them. Those for tracking never matter. */
                        query?: string | {
                            [key: string]: string;
                        };
                        /**
                         * @description One of redirect, gone, ignore.
                         * @default redirect
                         * @enum {string}
                         */
                        action?: "redirect" | "gone" | "ignore";
                        /**
                         * @description A path of the site, or any url; `:splat` stands for the star, `:id` for the placeholder of that name.
                         * @example /new#part
                         */
                        target?: string | null;
                        /**
                         * @description 301 unless given; of what is gone 410.
                         * @enum {integer|null}
                         */
                        code?: 301 | 302 | 303 | 307 | 308 | 410 | 451 | null;
                        /**
                         * @description Whether the query string is passed on to the target.
                         * @default false
                         */
                        pass_query?: boolean;
                        /** @description A date or moment, from which on it holds; a date from 00:00 UTC. */
                        valid_from?: string | null;
                        /** @description A moment, up to which it holds; or a date, which is its last whole day in UTC. */
                        valid_until?: string | null;
                    }[];
                };
            };
        };
        responses: {
            /** @description Done: an answer for each rule, in their order. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Pathmend-Warning": components["headers"]["X-Pathmend-Warning"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "change_id": 7,
                     *       "rules": [
                     *         {
                     *           "id": "9f2c5d3e0a4b6c7d8e9f00112233445566778899aabbccddeeff001122334455",
                     *           "outcome": "created",
                     *           "rule": {
                     *             "path": "/old",
                     *             "host": null,
                     *             "match": "path",
                     *             "query": "ignore",
                     *             "action": "redirect",
                     *             "target": "/new#part",
                     *             "code": 302,
                     *             "pass_query": false,
                     *             "valid_from": null,
                     *             "valid_until": null
                     *           },
                     *           "replaced": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RulesChanged"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["invalid_api_key"];
            403: components["responses"]["insufficient_permissions"];
            405: components["responses"]["method_not_allowed"];
            413: components["responses"]["payload_too_large"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["overloaded"];
            default: components["responses"]["other"];
        };
    };
    removeRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The rule's identifier. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done: an answer for each rule, in their order. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Pathmend-Warning": components["headers"]["X-Pathmend-Warning"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "change_id": 7,
                     *       "rules": [
                     *         {
                     *           "id": "9f2c5d3e0a4b6c7d8e9f00112233445566778899aabbccddeeff001122334455",
                     *           "outcome": "created",
                     *           "rule": {
                     *             "path": "/old",
                     *             "host": null,
                     *             "match": "path",
                     *             "query": "ignore",
                     *             "action": "redirect",
                     *             "target": "/new#part",
                     *             "code": 302,
                     *             "pass_query": false,
                     *             "valid_from": null,
                     *             "valid_until": null
                     *           },
                     *           "replaced": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RulesChanged"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["invalid_api_key"];
            403: components["responses"]["insufficient_permissions"];
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["overloaded"];
            default: components["responses"]["other"];
        };
    };
    changeRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The rule's identifier. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description `/old`, `/old/*` for all paths below, or a pattern: `/p-:id.html`, `/blog/:number/*`. A full url names the host, too.
                     * @example /old
                     */
                    path?: string;
                    /** @description The host that it is for; null: any. */
                    host?: string | null;
                    /**
                     * @description `path` takes every letter of the path as it is; `prefix` takes `/old/` as `/old/*`. Else it must be what the path reads as.
                     * @enum {string}
                     */
                    match?: "path" | "prefix" | "pattern";
                    /** @description Parameters that must be there, in any order; others may be beside them. Those for tracking never matter. */
                    query?: string | {
                        [key: string]: string;
                    };
                    /**
                     * @description One of redirect, gone, ignore.
                     * @default redirect
                     * @enum {string}
                     */
                    action?: "redirect" | "gone" | "ignore";
                    /**
                     * @description A path of the site, or any url; `:splat` stands for the star, `:id` for the placeholder of that name.
                     * @example /new#part
                     */
                    target?: string | null;
                    /**
                     * @description 301 unless given; of what is gone 410.
                     * @enum {integer|null}
                     */
                    code?: 301 | 302 | 303 | 307 | 308 | 410 | 451 | null;
                    /**
                     * @description Whether the query string is passed on to the target.
                     * @default false
                     */
                    pass_query?: boolean;
                    /** @description A date or moment, from which on it holds; a date from 00:00 UTC. */
                    valid_from?: string | null;
                    /** @description A moment, up to which it holds; or a date, which is its last whole day in UTC. */
                    valid_until?: string | null;
                };
            };
        };
        responses: {
            /** @description Done: an answer for each rule, in their order. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Pathmend-Warning": components["headers"]["X-Pathmend-Warning"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "change_id": 7,
                     *       "rules": [
                     *         {
                     *           "id": "9f2c5d3e0a4b6c7d8e9f00112233445566778899aabbccddeeff001122334455",
                     *           "outcome": "created",
                     *           "rule": {
                     *             "path": "/old",
                     *             "host": null,
                     *             "match": "path",
                     *             "query": "ignore",
                     *             "action": "redirect",
                     *             "target": "/new#part",
                     *             "code": 302,
                     *             "pass_query": false,
                     *             "valid_from": null,
                     *             "valid_until": null
                     *           },
                     *           "replaced": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RulesChanged"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["invalid_api_key"];
            403: components["responses"]["insufficient_permissions"];
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            413: components["responses"]["payload_too_large"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["overloaded"];
            default: components["responses"]["other"];
        };
    };
    tryRules: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Paths or urls. */
                    paths: string[];
                    rules?: {
                        /**
                         * @description `/old`, `/old/*` for all paths below, or a pattern: `/p-:id.html`, `/blog/:number/*`. A full url names the host, too.
                         * @example /old
                         */
                        path: string;
                        /** @description The host that it is for; null: any. */
                        host?: string | null;
                        /**
                         * @description `path` takes every letter of the path as it is; `prefix` takes `/old/` as `/old/*`. Else it must be what the path reads as.
                         * @enum {string}
                         */
                        match?: "path" | "prefix" | "pattern";
                        /** @description Parameters that must be there, in any order; others may be beside them. Those for tracking never matter. */
                        query?: string | {
                            [key: string]: string;
                        };
                        /**
                         * @description One of redirect, gone, ignore.
                         * @default redirect
                         * @enum {string}
                         */
                        action?: "redirect" | "gone" | "ignore";
                        /**
                         * @description A path of the site, or any url; `:splat` stands for the star, `:id` for the placeholder of that name.
                         * @example /new#part
                         */
                        target?: string | null;
                        /**
                         * @description 301 unless given; of what is gone 410.
                         * @enum {integer|null}
                         */
                        code?: 301 | 302 | 303 | 307 | 308 | 410 | 451 | null;
                        /**
                         * @description Whether the query string is passed on to the target.
                         * @default false
                         */
                        pass_query?: boolean;
                        /** @description A date or moment, from which on it holds; a date from 00:00 UTC. */
                        valid_from?: string | null;
                        /** @description A moment, up to which it holds; or a date, which is its last whole day in UTC. */
                        valid_until?: string | null;
                    }[];
                };
            };
        };
        responses: {
            /** @description For each path its rule, or null, and where it leads. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Pathmend-Warning": components["headers"]["X-Pathmend-Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriedRules"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["invalid_api_key"];
            403: components["responses"]["insufficient_permissions"];
            405: components["responses"]["method_not_allowed"];
            413: components["responses"]["payload_too_large"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["overloaded"];
            default: components["responses"]["other"];
        };
    };
    listRuleChanges: {
        parameters: {
            query?: {
                /** @description A whole number from 1 to 1000. */
                limit?: number;
                /** @description The `next_cursor` of the answer before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Some changes, each with its first rules, and where the next ones begin. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Pathmend-Warning": components["headers"]["X-Pathmend-Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuleChangeList"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["invalid_api_key"];
            403: components["responses"]["insufficient_permissions"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["overloaded"];
            default: components["responses"]["other"];
        };
    };
    undoRuleChange: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The number of a change. */
                    change_id: number;
                };
            };
        };
        responses: {
            /** @description Taken back: that is a change, too. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Pathmend-Warning": components["headers"]["X-Pathmend-Warning"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "change_id": 8,
                     *       "changed": 1,
                     *       "unchanged": 0
                     *     }
                     */
                    "application/json": components["schemas"]["RulesUndone"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["invalid_api_key"];
            403: components["responses"]["insufficient_permissions"];
            405: components["responses"]["method_not_allowed"];
            413: components["responses"]["payload_too_large"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["overloaded"];
            default: components["responses"]["other"];
        };
    };
    listLinks: {
        parameters: {
            query?: {
                /** @description Only those that have no rule and no page since. */
                broken?: boolean;
                /** @description Links at most. */
                limit?: number;
                /** @description The `next_cursor` of the answer before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Some links, and where the next ones begin. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Pathmend-Warning": components["headers"]["X-Pathmend-Warning"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "links": [
                     *         {
                     *           "url": "https://www.example.com/help/retruns",
                     *           "status": 404,
                     *           "answer": "the server answers 404",
                     *           "pages": [
                     *             "https://www.example.com/help/"
                     *           ],
                     *           "page_count": 1,
                     *           "checked_at": "2026-03-14T09:26:53.589Z",
                     *           "broken": true,
                     *           "leads_to": null
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["LinkList"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["invalid_api_key"];
            403: components["responses"]["insufficient_permissions"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["overloaded"];
            default: components["responses"]["other"];
        };
    };
}
