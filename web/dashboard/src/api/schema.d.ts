// Generated from contract/openapi.json by tools/types.mjs. Run scripts/fresh --write to generate it again.

export interface paths {
    "/events/{project_key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receives events of one visitor.
         * @description Needs no key. With a bearer key (scope `write`) the request is trusted: it may set the times of events, and its
         *     visitor's address, user agent and country.
         */
        post: operations["sendEvents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events/{project_key}/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receives events of many visitors.
         * @description The body has JSON lines, each a body of `sendEvents` or one event with its visitor: up to 8 MiB as sent and 64 MiB
         *     expanded, 100,000 lines, 100,000 events, and 4 MiB per line. An invalid line does not affect other lines. After a
         *     503 a part may have been stored: send the same lines again, and events that are already stored are reported as
         *     `duplicate`.
         */
        post: operations["sendEventBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/geo/{project_key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns the location of the connection, for targeting by geography. */
        get: operations["getGeography"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/js/{project_key}.js": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns the script of a project: the runtime with everything that its visitors can meet. */
        get: operations["getScript"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/js/muriel.d.ts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns the TypeScript types of the page API and of experiments' code. */
        get: operations["getScriptTypes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/js/parts/{part}.js": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns a part of the script that pages load on demand, such as what a preview needs in
         *     addition.
         */
        get: operations["getScriptPart"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/preview/{project_key}/{test_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns one experiment, even a draft, to clients with a preview link. */
        get: operations["getPreview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/preview/{project_key}/{test_id}/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Receives what a preview of a variant found on the page, for the checklist of its experiment. */
        post: operations["reportPreview"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ruleset/{project_key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns the ruleset of a project: everything that its visitors can meet. */
        get: operations["getRuleset"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/share/{token}/result": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns the result that a link shows. No sign-in is needed, and there are no query parameters. */
        get: operations["getSharedResult"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/share/{token}/timeseries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns the result that a link shows, day by day. No sign-in is needed, and there are no query parameters. */
        get: operations["getSharedTimeseries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists what was done in the company, newest first, with actor, action, and values before and after.
         * @description The hash of each entry covers the hash of the entry before, so `muriel audit verify` detects changed and missing
         *     entries.
         */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/audit.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists what was done in the company as a CSV table, newest first.
         * @description `X-Muriel-Cursor` has the cursor of the next page.
         */
        get: operations["getAuditTable"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/inbox": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the caller's inbox, newest first.
         * @description The inbox contains events of experiments that the caller watches, comments on them, mentions, and proposals that the
         *     caller may approve. Entries of projects that the caller cannot see any more are not listed. The last 500 entries are
         *     stored.
         */
        get: operations["listInbox"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/inbox/{entry_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Marks an entry of the caller's inbox as read or unread. */
        patch: operations["updateInboxEntry"];
        trace?: never;
    };
    "/v2/inbox/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Marks the caller's whole inbox as read. */
        post: operations["readInbox"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/inbox/unread": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Counts the caller's unread entries. */
        get: operations["countInbox"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/invitation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Creates an invitation link.
         * @description No message is sent: give the link to the person. It works once, and is valid for seven days.
         */
        post: operations["createInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/invitation/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns the purpose of an invitation link.
         * @description `token` is the part of the link after `#`. A link that was used or withdrawn, or has expired, gets 404.
         */
        get: operations["getInvitation"];
        put?: never;
        /**
         * Accepts a link: creates the person or sets the new password, and signs the person in.
         * @description The response sets the session cookie.
         */
        post: operations["acceptInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/key/{prefix}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revokes an API key. Every server refuses it within a second. */
        delete: operations["revokeKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the company's API keys, without their secrets. */
        get: operations["listKeys"];
        put?: never;
        /** Creates an API key. The response shows the key, this once only. */
        post: operations["createKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the experiments that the caller sees, of all projects, each with its recommended next step.
         * @description Pages are stable while others change experiments: an unchanged experiment is neither skipped nor repeated when you
         *     continue with `next_cursor`.
         */
        get: operations["getOverview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/people": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the people of the company, and its open invitations. */
        get: operations["listPeople"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/people/invitation/{invitation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Withdraws an invitation that was not accepted yet. */
        delete: operations["withdrawInvitation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/person/{person_id}": {
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
         * Removes a person, and revokes the access that they had or gave. History keeps their name.
         * @description Their sessions, invitations, result and preview links, and API keys are revoked. The response counts them and names
         *     the keys. Where `oidc.domains` admits people, a removed person can return only with a new invitation. The last owner
         *     cannot be removed.
         */
        delete: operations["removePerson"];
        options?: never;
        head?: never;
        /**
         * Updates a person's name, role or projects. Only fields that are sent change.
         * @description Everybody may change their own name; other changes need the role admin. The last owner cannot lose that role.
         */
        patch: operations["updatePerson"];
        trace?: never;
    };
    "/v2/person/me/passkeys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the caller's passkeys. */
        get: operations["listPasskeys"];
        put?: never;
        /** Enrols a passkey that the browser has created. */
        post: operations["createPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/person/me/passkeys/{passkey_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Removes one of the caller's passkeys. */
        delete: operations["removePasskey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/person/me/passkeys/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Returns the options with which a browser creates a passkey.
         * @description They are valid for five minutes. Browsers create passkeys for host names, not for addresses
         *     such as 127.0.0.1.
         */
        post: operations["beginPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/person/me/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Changes the caller's password, and ends all other sessions. */
        post: operations["changePassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/person/me/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the caller's sessions, and refused second factors. */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        /** Ends all sessions of the caller except the current one. */
        delete: operations["revokeOtherSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/person/me/sessions/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Ends one session of the caller. */
        delete: operations["revokeSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/person/me/totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Creates a secret for an authenticator (TOTP, RFC 6238: SHA-1, 6 digits, 30 seconds).
         * @description It becomes active when a code of it is confirmed. Until then an earlier authenticator stays
         *     active.
         */
        post: operations["beginTotp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/person/me/totp/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Enrols the authenticator with the secret created last, and ends all other sessions. */
        post: operations["confirmTotp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/person/me/totp/remove": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Removes the caller's authenticator and recovery codes. */
        post: operations["removeTotp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/programme": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Shows all concluded experiments together: win rate, pace, lessons, the expected lift of each result and of all
         *     winners together, and how well hypotheses were rated.
         * @description Lifts are in percent, of each experiment's primary goal. Expected lifts are estimated from all concluded experiments
         *     of the requested projects, independent of `from`, `to`, `outcome` and `search` (docs/methods.md describes the
         *     method). Experiments that were concluded as invalid are listed and counted, but excluded from rates, sums and
         *     estimates. `outcome` and `search` restrict `items` and `total` only.
         */
        get: operations["getProgramme"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/programme.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Shows the `items` of the programme as a CSV table.
         * @description `X-Muriel-Cursor` has the cursor of the next page.
         */
        get: operations["getProgrammeTable"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/create-experiment": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Creates an experiment. */
        post: operations["createExperiment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/currency-rates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns the project's currency rates. */
        get: operations["getCurrencyRates"];
        /**
         * Sets the project's currency rates, with which orders in other currencies are converted. The results of all its
         *     experiments are recomputed.
         */
        put: operations["setCurrencyRates"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/evaluate-many": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Evaluates experiments for up to 1,000 visitors. */
        post: operations["evaluateMany"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/exclusion-group": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Creates an exclusion group or a holdout. Live experiments in it get fewer visitors at once, as the warnings say, and
         *     each starts a new epoch.
         */
        post: operations["createExclusionGroup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/exclusion-group/{group_id}": {
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
         * Deletes a group. Its experiments get all visitors again. Where visitors of live experiments would move, the query
         *     parameter `accept_moves` is required.
         */
        delete: operations["deleteExclusionGroup"];
        options?: never;
        head?: never;
        /**
         * Updates a group. Only fields that are sent change. Experiments keep as many of their visitors as possible. Where
         *     visitors of live experiments would move, `accept_moves` is required.
         */
        patch: operations["updateExclusionGroup"];
        trace?: never;
    };
    "/v2/project/{project_key}/exclusion-group/{group_id}/result": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns the result of a holdout: the combined effect of all its experiments, from comparing held-out visitors
         *     with all others.
         */
        get: operations["getHoldoutResult"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/exclusion-groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the project's exclusion groups and holdouts. */
        get: operations["listExclusionGroups"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/exclusion/{exclusion_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Deletes an exclusion. Results count its visits again. */
        delete: operations["deleteExclusion"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/exclusions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the visits that results of the project do not count. */
        get: operations["listExclusions"];
        put?: never;
        /**
         * Excludes recorded visits from the results of all experiments of the project, such as those of a load test. The
         *     events stay in the log, and deleting the exclusion counts them again. Visitors who have other visits, which are not
         *     excluded, enter with those.
         */
        post: operations["createExclusion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/experiment-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the ids and keys of the project's experiments. */
        get: operations["listExperimentKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/experiment/{test_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns one experiment with all its settings. */
        get: operations["getExperiment"];
        put?: never;
        post?: never;
        /** Deletes an experiment. It is not returned any more, and its delivery stops. */
        delete: operations["deleteExperiment"];
        options?: never;
        head?: never;
        /** Updates an experiment. Only fields that are sent change. */
        patch: operations["updateExperiment"];
        trace?: never;
    };
    "/v2/project/{project_key}/experiment/{test_id}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Archives an experiment, so that the overview leaves it out, or takes it out of the archive. An experiment that
         *     visitors meet cannot be archived.
         */
        patch: operations["archiveExperiment"];
        trace?: never;
    };
    "/v2/project/{project_key}/experiment/{test_id}/change-preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Returns what an update would do, without changing anything.
         * @description Body, content type and errors are those of the update. The scope `read` is enough; `code` is needed too where the
         *     update would change code.
         */
        post: operations["previewChange"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/experiment/{test_id}/checklist": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists what to check before an experiment starts, and what prevents the start. */
        get: operations["getChecklist"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/experiment/{test_id}/comments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the comments on an experiment, newest first. */
        get: operations["listExperimentComments"];
        put?: never;
        /**
         * Comments on an experiment.
         * @description `@` and the full name of a person who sees the project mentions them, and so does `mentions`. Mentioned people are
         *     notified, and watch the experiment from then on. All watchers are notified too.
         */
        post: operations["createExperimentComment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/experiment/{test_id}/conclude": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Concludes an experiment: a person records its outcome.
         * @description The experiment becomes inactive unless a variant is to be served. The current verdict and the data that it was
         *     computed from are stored.
         */
        post: operations["concludeExperiment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/experiment/{test_id}/conclusion": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns how an experiment ended. */
        get: operations["getConclusion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/experiment/{test_id}/confirm-act": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirms an act that the clock holds back because the result does not hold without a single network, as
         *     `schedule.last.failed` says. For a day, the clock acts by this rule without that check.
         */
        post: operations["confirmAct"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/experiment/{test_id}/confirm-plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirms the changes of the plan since the first start. From then on the clock acts on the changed plan.
         * @description Results continue to label the changes as exploratory.
         */
        post: operations["confirmPlan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/experiment/{test_id}/distribution": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns how an experiment's traffic is distributed. */
        get: operations["getDistribution"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/experiment/{test_id}/duplicate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Creates a draft as a copy of an experiment: with its variants, targeting, goals and settings, but without start and
         *     end dates.
         */
        post: operations["duplicateExperiment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/experiment/{test_id}/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Explains the assignment of a visitor, step by step. */
        get: operations["explainAssignment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/experiment/{test_id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the changes of an experiment, newest first, with values before and after. */
        get: operations["getExperimentHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/experiment/{test_id}/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Computes how many visitors an experiment needs, and how many days that takes. */
        get: operations["getPlan"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/experiment/{test_id}/preview-urls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns a link per variant that shows it on the page. The links are valid for seven days. */
        get: operations["getPreviewUrls"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/experiment/{test_id}/proposals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the proposals of an experiment, newest first. */
        get: operations["listExperimentProposals"];
        put?: never;
        /** Proposes a change for approval by a second person: the fields of an update or a status, with a reason. */
        post: operations["createProposal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/experiment/{test_id}/reopen": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Withdraws a conclusion. The experiment's status does not change. */
        post: operations["reopenExperiment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/experiment/{test_id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restores the state that an experiment had after an earlier change.
         * @description This is an update: fields that an update can change get their old values, with the same checks. Status, winner and
         *     conclusion do not change. `restore-preview` returns what it would do.
         */
        post: operations["restoreExperiment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/experiment/{test_id}/restore-preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Returns what restoring an earlier state would do, without changing anything. */
        post: operations["previewRestore"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/experiment/{test_id}/result": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns the result of an experiment: numbers, their meaning, and whether to trust them. */
        get: operations["getResult"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/experiment/{test_id}/result.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns the result of an experiment as a CSV table, with a line for each metric, segment and variant. */
        get: operations["getResultTable"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/experiment/{test_id}/serve-winner": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Serves a winner, independent of the experiment's status. */
        post: operations["serveWinner"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/experiment/{test_id}/serving-rollout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Changes the share of visitors who get the winner. */
        patch: operations["updateServingRollout"];
        trace?: never;
    };
    "/v2/project/{project_key}/experiment/{test_id}/shares": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the links to an experiment's result. */
        get: operations["listShares"];
        put?: never;
        /** Creates a link with which anybody reads the result, with the parameters given, without signing in. */
        post: operations["createShare"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/experiment/{test_id}/simulate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Simulates the plan of an experiment many times on synthetic visitors, and reports the
         *     outcomes.
         * @description Equals `muriel simulate --json`. It stops when the client disconnects.
         */
        post: operations["simulateExperiment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/experiment/{test_id}/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Starts, pauses or resumes an experiment, or makes a draft inactive.
         * @description With `changes`, fields change in the same transaction: either everything is done, or nothing.
         *
         *     With `started_at` (scope `admin`) the first start is set to a time in the past, so that visitors of a test that ran
         *     elsewhere count.
         */
        patch: operations["updateExperimentStatus"];
        trace?: never;
    };
    "/v2/project/{project_key}/experiment/{test_id}/stop-serving": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Stops serving the winner. */
        post: operations["stopServing"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/experiment/{test_id}/suspects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Looks for visitors of an experiment who may be made up: those of one network, browser, system or device who differ
         *     from all others by more than chance. Says what excluding each would change. Computes up to 15 reports, so it can take
         *     that much longer than a result.
         */
        get: operations["listSuspects"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/experiment/{test_id}/timeseries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns the result of an experiment day by day, cumulative. */
        get: operations["getTimeseries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/experiment/{test_id}/watch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns whether the caller watches an experiment. */
        get: operations["getWatch"];
        /** Watches an experiment: its events are added to the caller's inbox. */
        put: operations["watchExperiment"];
        post?: never;
        /** Stops watching an experiment. The caller's own comments and mentions do not start it again. */
        delete: operations["unwatchExperiment"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/experiments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the experiments of the company that owns the project. */
        get: operations["listExperiments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/goal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Creates a goal. */
        post: operations["createGoal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/goal/{goal_profile_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns one goal. */
        get: operations["getGoal"];
        put?: never;
        post?: never;
        /**
         * Deletes a goal. Experiments do not report it any more, and its key is never used
         *     again.
         */
        delete: operations["deleteGoal"];
        options?: never;
        head?: never;
        /** Updates a goal. Only fields that are sent change; the key is permanent. */
        patch: operations["updateGoal"];
        trace?: never;
    };
    "/v2/project/{project_key}/goal/{goal_profile_id}/activity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Counts how often a goal was matched in the last days, in events of all visitors, and lists the experiments that
         *     report it.
         */
        get: operations["getGoalActivity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/goal/{goal_profile_id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the changes of a goal, newest first, with values before and after. */
        get: operations["getGoalHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/goal/{goal_profile_id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Restores the state that a goal had after an earlier change. */
        post: operations["restoreGoal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/goals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the project's goals. */
        get: operations["listGoals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/hypotheses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the project's hypotheses. */
        get: operations["listHypotheses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/hypothesis": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Creates a hypothesis. */
        post: operations["createHypothesis"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/hypothesis-slugs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the ids and slugs of the project's hypotheses, archived ones too. */
        get: operations["listHypothesisSlugs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/hypothesis/{hypothesis_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns one hypothesis. */
        get: operations["getHypothesis"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Updates a hypothesis. Only fields that are sent change. */
        patch: operations["updateHypothesis"];
        trace?: never;
    };
    "/v2/project/{project_key}/hypothesis/{hypothesis_id}/comments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the comments on a hypothesis, newest first. */
        get: operations["listHypothesisComments"];
        put?: never;
        /**
         * Comments on a hypothesis.
         * @description `@` and the full name of a person who sees the project mentions them, and so does `mentions`. Mentioned people are
         *     notified.
         */
        post: operations["createHypothesisComment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/hypothesis/{hypothesis_id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the changes of a hypothesis, newest first, with values before and after. */
        get: operations["getHypothesisHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/hypothesis/{hypothesis_id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Restores the state that a hypothesis had after an earlier change. */
        post: operations["restoreHypothesis"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/install": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns how to install the script on the pages of a project, and whether it was seen there. */
        get: operations["getInstall"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Streams the events of one visitor as they arrive, and the visitor's assignments with their reasons, as server-sent
         *     events.
         * @description The stream has only the events that this node receives. It begins with `hello`, has a comment line every 15 seconds,
         *     and ends with `bye` after an hour or when the server stops.
         */
        get: operations["streamVisitor"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/ofrep/v1/evaluate/flags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Evaluates every experiment that is delivered. */
        post: operations["evaluateFlags"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/ofrep/v1/evaluate/flags/{experiment_key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Evaluates one experiment. */
        post: operations["evaluateFlag"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/people": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the people who see a project, whom comments can mention. */
        get: operations["listProjectPeople"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/proposals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the proposals of a project, newest first. */
        get: operations["listProposals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/proposals/{proposal_id}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approves a proposal and makes its change. People cannot approve their own proposals, nor one whose experiment has
         *     changed since.
         */
        post: operations["approveProposal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/proposals/{proposal_id}/reject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Rejects another person's proposal. */
        post: operations["rejectProposal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/proposals/{proposal_id}/withdraw": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Withdraws the caller's own proposal. */
        post: operations["withdrawProposal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns a project's settings. */
        get: operations["getProjectSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Updates a project's settings. Only fields that are sent change. Pages get the new settings
         *     within a second.
         */
        patch: operations["updateProjectSettings"];
        trace?: never;
    };
    "/v2/project/{project_key}/share/{share_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revokes a link. It shows nothing from now on. */
        delete: operations["revokeShare"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/visitor-job/{visitor_job_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns the progress of a deletion of a visitor's data. */
        get: operations["getVisitorJob"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/visitor/{visitor_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns the stored events of a visitor that this server received. Repeat the request with the `cursor` of the
         *     response until that is null.
         */
        get: operations["getVisitorData"];
        put?: never;
        post?: never;
        /** Deletes all data of a visitor, on every server. The response is immediate; the visitor job reports the progress. */
        delete: operations["deleteVisitorData"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/webhook": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Creates a webhook. The response shows the secret with which its messages are signed, this once only. */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/webhook/{webhook_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Deletes a webhook with its deliveries. Pending messages are not sent any more. */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /** Updates a webhook. Only fields that are sent change. */
        patch: operations["updateWebhook"];
        trace?: never;
    };
    "/v2/project/{project_key}/webhook/{webhook_id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the deliveries of a webhook. */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/webhook/{webhook_id}/deliveries/{delivery_id}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sends a delivery again, whatever its status. The message keeps its id. */
        post: operations["resendWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/webhook/{webhook_id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Gives a webhook a new secret. Messages carry signatures of both secrets for 24 hours. */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/webhook/{webhook_id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sends a message of the type `webhook.test`. Its outcome is listed among the deliveries. */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/project/{project_key}/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the project's webhooks, without their secrets. */
        get: operations["listWebhooks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the projects of the company that the caller sees. */
        get: operations["listProjects"];
        put?: never;
        /** Creates a project. */
        post: operations["createProject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns the signed-in person and their permissions. */
        get: operations["getSession"];
        put?: never;
        /**
         * Signs a person in.
         * @description The response sets the session cookie. Attempts are limited per person and per network; `Retry-After` of a 429 says
         *     when to continue. An unknown e-mail address and a wrong password get the same response.
         */
        post: operations["signIn"];
        /** Ends the session, and removes its cookie. */
        delete: operations["signOut"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/session/methods": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the sign-in methods of this server. */
        get: operations["getSignInMethods"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/session/oidc/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Finishes a sign-in at the OpenID provider, which redirects the browser here.
         * @description The browser is redirected to `/`, signed in, or to `/sign-in?error=…`, with `oidc_expired`, `oidc_failed`,
         *     `oidc_not_invited`, `oidc_busy` or `oidc_unavailable`.
         */
        get: operations["finishOidcSignIn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/session/oidc/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Begins a sign-in at the OpenID provider, by redirecting the browser there.
         * @description Sets a cookie that is needed to finish the sign-in. If the sign-in cannot begin, the browser is redirected to
         *     `/sign-in?error=…`, with `oidc_failed` or `oidc_unavailable`.
         */
        get: operations["beginOidcSignIn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/session/passkey": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Signs a person in with a passkey instead of password and code.
         * @description The response sets the session cookie.
         */
        post: operations["signInWithPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/session/passkey/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Returns the options with which a browser signs in with a passkey.
         * @description They are valid for five minutes. They do not reveal who has an account: the device knows its own passkeys.
         */
        post: operations["beginPasskeySignIn"];
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
        /** @description Form of a person who accepts a link. `takes` of the invitation lists the required fields. */
        AcceptBody: {
            /**
             * @description Name of the company; only for the first owner of a server without a company.
             * @example Acme
             */
            company?: string;
            /**
             * @description E-mail address; only for the first owner.
             * @example grace@example.com
             */
            email?: string;
            /**
             * @description Name of the person.
             * @example Grace Hopper
             */
            name?: string;
            /**
             * @description Password for signing in.
             * @example correct horse battery
             */
            password: string;
        };
        /** @description Confirmation that the clock acts although the result rests on a single network. */
        ActConfirmation: {
            /**
             * @description Reason, stored in the history.
             * @example The network is that of our own shops.
             */
            reason: string;
        };
        /** @description The clock acts by the rule that it held back. */
        ActConfirmed: {
            /**
             * Format: date-time
             * @description End of the confirmation, a day later. If the rule is not met until then, the clock judges the result without
             *     single networks again.
             */
            confirmed_until: string;
            /** @description The rule. */
            rule: components["schemas"]["ClockRule"];
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Id of the experiment.
             */
            test_id: number;
        };
        /**
         * @description Kind of actor: a person, an API key, or the server including its command line.
         * @enum {string}
         */
        ActorKind: "person" | "key" | "system";
        /** @description Actor of a change. */
        ActorView: {
            /**
             * @description Id of the person, first 8 characters of the key, or name of the server's component.
             * @example Ab3dE6gH
             */
            id: string;
            /** @description Kind of actor. Programs and agents have `key`; the clock has `system`. */
            kind: components["schemas"]["ActorKind"];
            /** @description Name of the key or person; the id if the name is not known any more. */
            name: string;
        };
        /** @description Comparison of an arm with the control. */
        AnalysisResult: {
            /**
             * Format: double
             * @description Posterior probability that the arm is better, in percent.
             */
            chance_to_beat_control: number | null;
            /** @description Posterior interval of the lift, in percent, for the Bayesian view. Not valid under repeated checks. */
            credible_interval?: number[] | null;
            /**
             * Format: double
             * @description Difference from the control, in percentage points or units of value.
             */
            difference: number | null;
            /** @description Lower and upper bound of the difference. Can be bounded where the lift is not. */
            difference_interval: number[] | null;
            /**
             * Format: double
             * @description Always-valid p-value of the exact test, used when conversions are rare.
             */
            exact_p_value?: number | null;
            /**
             * Format: double
             * @description Expected loss of lift from choosing the arm, in percent.
             */
            expected_loss: number | null;
            /**
             * Format: double
             * @description Difference divided by the absolute mean of the control, in percent; null if that mean is 0 or nothing can
             *     be compared.
             */
            lift: number | null;
            /**
             * @description Lower and upper bound of the lift at the confidence threshold, in percent. Valid whenever it is read.
             *     Null if there is no bound yet.
             */
            lift_interval: number[] | null;
            /**
             * Format: double
             * @description Always-valid p-value.
             */
            p_value: number | null;
            /**
             * Format: double
             * @description p-value corrected for multiple comparisons over arms and metrics.
             */
            p_value_adjusted: number | null;
            /** @description Reason for the verdict, as a sentence. */
            reason: string;
            /**
             * Format: double
             * @description Ratio of the variance to that without adjustment for data from before entry.
             */
            variance_ratio?: number | null;
            /** @description `win`, `loss`, `no_difference`, `keep_running` or `do_not_trust`. */
            verdict: string;
            /**
             * Format: int64
             * @description Number of visitors compared, of both arms.
             */
            visitors_compared: number;
        };
        /** @description An API key without its secret. */
        ApiKeyItem: {
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /**
             * Format: int64
             * @description Id of the person who created it, with whose removal it is revoked; null for the operator.
             */
            created_by: number | null;
            /**
             * Format: date-time
             * @description Time at which it expires; null if it does not expire.
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description Time of the last use, to the minute; null if never used.
             */
            last_used_at: string | null;
            /**
             * @description Purpose of the key.
             * @example nightly export
             */
            name: string;
            /**
             * @description First 8 characters after `mrl_`, which identify the key.
             * @example Q2f8kX3m
             */
            prefix: string;
            /** @description Keys of the projects to which it is limited; null for all projects of the company. */
            projects: string[] | null;
            /**
             * Format: date-time
             * @description Time of revocation; null if it is not revoked.
             */
            revoked_at: string | null;
            /** @description Permissions. */
            scopes: components["schemas"]["ScopeName"][];
        };
        /** @description Archive state of an experiment. */
        ArchiveBody: {
            /** @description true archives the experiment, false takes it out of the archive. */
            archived: boolean;
        };
        /** @description An experiment was archived, or taken out of the archive. */
        ArchiveUpdated: {
            /** @description True when it is archived now. */
            archived: boolean;
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Id of the experiment.
             */
            test_id: number;
        };
        /** @description Share of an arm. */
        ArmShare: {
            /** @description Name of the arm. */
            name: string;
            /**
             * Format: double
             * @description Percent of the entering visitors who get this arm.
             */
            traffic_weight: number;
            /** @description `"0"` for the control. */
            variant_id: string;
            /** @description `active`, or `paused` when its weight is 0. */
            variant_status: components["schemas"]["ArmStatus"];
        };
        /**
         * @description `paused` when its weight is 0.
         * @enum {string}
         */
        ArmStatus: "active" | "paused";
        /** @description Assignment of one visitor in one experiment. */
        Assignment: {
            /** Format: int64 */
            epoch: number;
            experiment_key: string;
            in_experiment: boolean;
            reason: components["schemas"]["AssignmentReason"];
            /** @description `Control` or `Variant N`. */
            variant: string;
        };
        /**
         * @description Reason for an assignment. docs/assignment.md explains each.
         * @enum {string}
         */
        AssignmentReason: "split" | "sticky" | "forced" | "served" | "holdout" | "disabled" | "rollout" | "excluded" | "traffic" | "targeting" | "unknown" | "audience" | "variant_gone";
        /** @description A condition on an event's attribute. */
        AttributeCondition: {
            /** @description Name of the attribute. */
            key: string;
            /** @description Comparison. */
            operand: components["schemas"]["Operator"];
            value?: components["schemas"]["AttributeValue"] | null;
        };
        /** @description Value with which an event's attribute is compared. */
        AttributeValue: string | number | boolean;
        /** @description Audience of a personalization's variant: an experiment's targeting without `url_rule`. */
        Audience: {
            /** @description Cities, such as `Berlin (Berlin)`. */
            allowed_city?: components["schemas"]["Place"][];
            /** @description Countries. */
            allowed_country?: components["schemas"]["Country"][];
            /** @description Regions, such as `California (US)`. */
            allowed_region?: components["schemas"]["Place"][];
            /** @description Language tags; `en` matches `en-GB`. */
            browser_language_rule?: string[];
            /** @description Browsers. */
            browser_rule?: components["schemas"]["Browser"][];
            /** @description Cookies; browser only. */
            cookie_rule?: components["schemas"]["Condition"][][];
            /** @description Kinds of device. */
            device_rule?: components["schemas"]["Device"][];
            /** @description Earlier events of the visitor; all entries have to match. */
            event_rule?: components["schemas"]["EventRule"][];
            /** @description Audiences that the page hands over: any of them. */
            ga4_rule?: string[];
            /** @description Operating systems. */
            os_rule?: components["schemas"]["System"][];
            /** @description Query parameters. */
            parameter_rule?: components["schemas"]["Condition"][][];
            /** @description Where the visitor came from; criteria `host`, `url` or `source`. */
            referral_rule?: components["schemas"]["Condition"][][];
            schedule_rule?: components["schemas"]["Schedule"] | null;
            /** @description The visitor's attributes. */
            segment_rule?: components["schemas"]["Condition"][][];
            /** @description `new` or `returning`, alone or as a list of one. */
            user_rule?: components["schemas"]["UserRule"];
        };
        /** @description Actor of an action. */
        AuditActor: {
            /**
             * @description Id of the person, first 8 characters of the key, or name of the server's component.
             * @example 12
             */
            id: string;
            /** @description Kind of actor. */
            kind: components["schemas"]["ActorKind"];
            /**
             * @description Name of the person or key at that time.
             * @example Ada Lovelace
             */
            name: string;
        };
        /** @description An action in the audit log. */
        AuditEntry: {
            /**
             * @description Name of the action.
             * @example update
             */
            action: string;
            /** @description Actor of the action. */
            actor: components["schemas"]["AuditActor"];
            /** @description New values of these fields; null if the object was removed. */
            after: unknown;
            /**
             * Format: date-time
             * @description Time of the action.
             */
            at: string;
            /**
             * @description Changed fields with their previous values; null if the object was created. A text of more than 4 KiB is replaced
             *     by an object with its `sha256` and `bytes`.
             */
            before: unknown;
            /**
             * Format: int64
             * @description Number of the entry within the company, from 1, without gaps.
             */
            entry: number;
            /**
             * @description SHA-256 of this entry and the one before, in hexadecimal digits.
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            hash: string;
            /** @description Object of the action. */
            object: components["schemas"]["AuditObject"];
            /**
             * @description Key of the object's project; null for actions on the company.
             * @example prj_Q2f8kX3mD7tYwR5vB9cN1s
             */
            project_key: string | null;
        };
        /** @description Object of an action. */
        AuditObject: {
            /**
             * @description Id of the object.
             * @example 17
             */
            id: string;
            /**
             * @description Kind of object: `experiment`, `goal`, `hypothesis`, `group`, `webhook`, `rates`, `project`, `key`, `person`,
             *     `invitation` or `session`.
             * @example experiment
             */
            kind: string;
            /**
             * @description Name of the object at that time; empty without one.
             * @example Shorter checkout form
             */
            name: string;
        };
        /** @description A page of the audit log. */
        AuditPage: {
            /** @description Entries in this page. */
            count: number;
            /** @description Newest first. */
            entries: components["schemas"]["AuditEntry"][];
            /** @description Value to send as `cursor` for the next page; null on the last one. */
            next_cursor: string | null;
            /** @description Always true. */
            success: boolean;
        };
        /** @description Explanation of a bandit's weights and costs. Visitors count once their conversion window is over. */
        Bandit: {
            /** @description The control first. */
            arms: components["schemas"]["BanditArm"][];
            /** @description Expected loss of the same number of visitors with an even split. */
            even_split: components["schemas"]["EvenSplit"];
            /**
             * Format: double
             * @description Minimum weight of each arm, in percent.
             * @example 5
             */
            floor: number;
            /**
             * Format: date-time
             * @description Time at which the clock last moved the weights; null if never.
             */
            last_moved_at: string | null;
            /**
             * Format: int64
             * @description Length of a period, in seconds, after which weights can move again. Periods begin at midnight in UTC.
             */
            period_s: number;
            /**
             * @description Reason for the current weights, or why they do not move yet.
             * @example Variant 1 is the best with a probability of 93.1 percent.
             */
            reason: string;
            /**
             * Format: double
             * @description Expected loss from visitors who met another arm than the best, averaged over what is known of the arms: in
             *     conversions, or in the unit of the value. Null until there is data for every arm.
             * @example 31.5
             */
            regret: number | null;
            /**
             * @description Interval of the regret, at the experiment's confidence.
             * @example [
             *       12,
             *       60.5
             *     ]
             */
            regret_interval: number[] | null;
        };
        /** @description An arm of a bandit. */
        BanditArm: {
            /**
             * Format: double
             * @description Probability that this arm is the best, in percent; null until there is data for every arm, and for an arm
             *     without weight.
             * @example 93.1
             */
            probability_best: number | null;
            /** @description `"0"` for the control. */
            variant_id: string;
            /**
             * Format: double
             * @description Percent of the entering visitors who get this arm.
             */
            weight: number;
        };
        /** @description A bandit as of the end of a day. */
        BanditPoint: {
            /**
             * Format: date
             * @description The day.
             */
            date: string;
            /** @description Expected loss of the same number of visitors with an even split. */
            even_split: components["schemas"]["EvenSplit"];
            /**
             * Format: double
             * @description Expected loss from visitors who met another arm than the best, as in `GET …/distribution`.
             * @example 31.5
             */
            regret: number;
            /**
             * @description Interval of the regret, at the experiment's confidence.
             * @example [
             *       12,
             *       60.5
             *     ]
             */
            regret_interval: number[];
        };
        /** @description Outcomes of the events of a line. */
        BodyLineTaken: {
            /**
             * Format: int64
             * @description Line number, from 1. Blank lines count.
             */
            line: number;
            results: components["schemas"]["EventResult"][];
        };
        /** @description The arms in one segment of the visitors. */
        Breakdown: {
            /** @description Attribute that defines the segments. */
            dimension: string;
            /** @description True when it was added, changed or chosen after the plan was locked: useful for ideas, but not evidence. */
            exploratory?: boolean;
            /** @description Reason, as a sentence. */
            exploratory_reason?: string | null;
            /** @description True for the rest: all values beyond the largest 50. */
            is_rest: boolean;
            /** @description Value of the attribute; null where it is not known, and for the rest. */
            value: string | null;
            /** @description The arms, the control first. */
            variants: components["schemas"]["PartResult"][];
        };
        /**
         * @description A browser.
         * @enum {string}
         */
        Browser: "chrome" | "safari" | "firefox" | "edge" | "ie" | "opera";
        /**
         * @description Metric that needs no goal.
         * @enum {string}
         */
        BuiltinMetric: "bounce_rate" | "engagement";
        /** @description One visual change: {target, innerText|textContent|innerHTML|outerHTML|src|href|style|class|attributes}, {rm}, {refEl, dir, htmlBlock}, {oriEl, refEl, dir} or, in a split test, {url, relay_param}. Further keys are kept. */
        Change: {
            [key: string]: unknown;
        };
        /**
         * @description Number of visitors' pages on which a change matched an element. Each visitor counts once, with the first page
         *     that reported it.
         */
        ChangeFound: {
            /** @description Index in the variant's `data`, from 0. */
            index: number;
            /**
             * Format: int64
             * @description Number of those on whose page it matched an element.
             */
            matched: number;
            /**
             * Format: int64
             * @description Visitors on whose page the change was due.
             */
            pages: number;
        };
        /** @description Number of visitors' pages on which a change matched an element. */
        ChangeMatched: {
            /** @description Index in the variant's `data`, from 0. */
            index: number;
            /**
             * Format: int64
             * @description Number of those on whose page it matched an element.
             */
            matched: number;
            /**
             * Format: double
             * @description Percent of those on whose page it matched an element.
             */
            matched_percent: number;
            /**
             * Format: int64
             * @description Visitors on whose page the change was due.
             */
            pages: number;
        };
        /** @description Effects of a change that was not made. */
        ChangePreview: {
            /** @description Fields that would change; empty if none would. */
            changes: components["schemas"]["FieldChange"][];
            /**
             * @description Messages about what would be exploratory because the plan locked at the first start does not contain it, and
             *     about other departures from that plan. Empty too if no plan was locked.
             * @example [
             *       "The goal signed_up is not in the plan that was locked at 09:00 UTC on 1 Mar 2026: it was chosen later."
             *     ]
             */
            exploratory: string[];
            /**
             * Format: double
             * @description Percent of the visitors in the live experiment who would get another variant or none, unless they have a stored
             *     assignment; null when targeting changes, because the effect depends on who they are.
             * @example 16.67
             */
            moved_visitors_percent: number | null;
            /**
             * @description True when the project requires a second person's approval. The change can then be proposed, but not made
             *     directly.
             */
            needs_approval: boolean;
            /** @description True when a new epoch would begin. Visitors are compared within epochs. */
            opens_epoch: boolean;
            /** @description Reasons for the new epoch. */
            reasons: components["schemas"]["Reason"][];
            /**
             * @description Variants of a started experiment that would mean something else to their visitors, by `variant_id`. Their
             *     previous data would be counted as another variant's.
             * @example [
             *       "1"
             *     ]
             */
            redefines: string[];
            /**
             * @description Fields whose code would be removed.
             * @example [
             *       "variants[1].customJS"
             *     ]
             */
            removed_code: string[];
            /** @description Always true. */
            success: boolean;
            /** @description Warnings, each with the name of the field. */
            warnings: string[];
        };
        /** @description A proposed change: the fields of an update, or a new status. */
        ChangeProposal: {
            /** @description Built-in metrics to report. */
            builtin_metrics?: components["schemas"]["BuiltinMetric"][];
            /** @description Settings. */
            configuration?: components["schemas"]["Configuration"];
            /**
             * @description Reason for confirming the changes of the plan since the first start, so that the clock acts on the changed plan.
             *     Can be combined only with `note`.
             */
            confirm_plan?: string;
            /** @description Label and code of the control. */
            control?: components["schemas"]["ControlBody"];
            /** @description Same as `control` with the raw names, as an object or as a JSON string of that object. */
            control_attr?: components["schemas"]["ControlAttributes"];
            /** @description CSS for all assigned visitors, including the control's. */
            custom_css?: string;
            /** @description JavaScript for all assigned visitors, including the control's. */
            custom_js?: string;
            /** @description Raw events to report. */
            event_metrics?: string[];
            /**
             * Format: int64
             * @description Id of the hypothesis that it tests.
             */
            hypothesis_id?: number | null;
            /** @description Reason for the proposal. */
            note?: string;
            /** @description Plan: smallest lift worth acting on, and number of visitors. */
            plan?: components["schemas"]["Plan"];
            /** @description Key of the primary goal, which decides the result. */
            primary_goal_key?: string | null;
            /** @description Keys of the goals to report in addition to the primary one; `[]` removes all of them. */
            secondary_goal_keys?: string[];
            /** @description New status. Cannot be combined with fields of an update. */
            status?: components["schemas"]["StatusCode"];
            /** @description Labels. */
            tags?: string[];
            /** @description Visitors and pages on which the experiment runs. */
            targeting?: components["schemas"]["Targeting"];
            /** @description New display name. */
            test_name?: string;
            /** @description New page that the editor opens. A URL, not a pattern. */
            url?: string;
            /** @description The complete new list of variants. Variants that are left out are deleted with their code. */
            variants?: components["schemas"]["VariantBody"][];
            /** @description Current `variants_data_key` of the experiment. Required with `variants` when it is a pattern. */
            variants_data_key?: string;
        };
        /** @description Checks before an experiment starts. */
        Checklist: {
            /** @description True when it can be started: no item is blocked. */
            can_start: boolean;
            /** @description Checks in the recommended order. */
            items: components["schemas"]["ChecklistItem"][];
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Id of the experiment.
             */
            test_id: number;
        };
        /**
         * @description Check before a start.
         * @enum {string}
         */
        ChecklistCheck: "lifecycle" | "approval" | "code" | "script" | "preview" | "goals" | "audience" | "weights" | "power" | "collisions";
        /** @description A check. */
        ChecklistItem: {
            /** @description Name of the check. */
            check: components["schemas"]["ChecklistCheck"];
            /** @description Finding, and what to do about it. */
            sentence: string;
            /** @description `blocked` prevents the start; `unknown` when there is no data yet. */
            status: components["schemas"]["ChecklistStatus"];
        };
        /**
         * @description `blocked` prevents the start; `unknown` when there is no data yet.
         * @enum {string}
         */
        ChecklistStatus: "ok" | "warn" | "blocked" | "unknown";
        /**
         * @description Action of the clock on an experiment.
         * @enum {string}
         */
        ClockAct: "start" | "stop" | "reweight" | "ramp";
        /**
         * @description Rule by which the clock acts, which a setting in `configuration` switches on.
         * @enum {string}
         */
        ClockRule: "start_date" | "end_date" | "visitors" | "conversions" | "period" | "significant" | "bandit" | "autopilot" | "guardrail" | "page_harm";
        /** @description A comment. */
        Comment: {
            /** @description Author. A program or an agent has the kind `key`. */
            actor: components["schemas"]["ActorView"];
            /**
             * Format: date-time
             * @description Time of writing.
             */
            at: string;
            /**
             * Format: int64
             * @description Identifies the comment.
             */
            comment_id: number;
            /** @description People whom it mentions. */
            mentions: components["schemas"]["Mention"][];
            /** @description Plain text. */
            text: string;
        };
        /** @description A comment. */
        CommentBody: {
            /**
             * @description Ids of people to mention, in addition to those whom the text mentions with `@` and their name;
             *     `listProjectPeople` returns the ids. Needed for a name that several people have.
             */
            mentions?: number[];
            /**
             * @description Plain text, not blank.
             * @example The spike on Tuesday was the newsletter.
             */
            text: string;
        };
        /** @description A comment was written. */
        CommentCreated: {
            /**
             * Format: int64
             * @description Id of the comment.
             */
            comment_id: number;
            /** @description People whom it mentions. They are notified. */
            mentioned: components["schemas"]["Mention"][];
            /** @description Always true. */
            success: boolean;
        };
        /** @description A page of comments. */
        CommentList: {
            /** @description Newest first. */
            comments: components["schemas"]["Comment"][];
            /** @description Value to send as `cursor` for the next page; null on the last one. */
            next_cursor: string | null;
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Number of comments on all pages.
             */
            total: number;
        };
        /** @description An experiment was concluded. */
        Concluded: {
            /** @description Always 1. */
            is_completed: components["schemas"]["Flag"];
            /** @description Outcome. */
            outcome: components["schemas"]["ConclusionOutcome"];
            /**
             * Format: int64
             * @description Percent of the visitors who get the served variant; null if no variant is served.
             * @example 100
             */
            serving_traffic_allocation: number | null;
            /**
             * @description Variant that is served; null if no variant is served.
             * @example 1
             */
            serving_variant_id: string | null;
            /** @description Status: 0, or unchanged while a winner is served. */
            status: components["schemas"]["StatusCode"];
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Id of the experiment.
             */
            test_id: number;
        };
        /** @description Conclusion of an experiment, if it has one. */
        ConclusionAnswer: {
            conclusion: components["schemas"]["ConclusionShown"] | null;
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Id of the experiment.
             */
            test_id: number;
        };
        /** @description Conclusion of an experiment. */
        ConclusionBody: {
            /**
             * Format: int64
             * @description Id of the hypothesis that continues this test.
             * @example 12
             */
            follow_up_hypothesis_id?: number;
            /**
             * @description Lesson beyond this test.
             * @example Visitors on phones leave at the address.
             */
            learned?: string;
            /**
             * @description Reason for the outcome, in the team's words.
             * @example Fewer fields, more orders.
             */
            note: string;
            /** @description Outcome. */
            outcome: components["schemas"]["ConclusionOutcome"];
            /**
             * @description Reason why the outcome is right although the verdict contradicts it. Required in that case.
             * @example A study with users said the same.
             */
            override_reason?: string;
            /**
             * @description Variant to serve from now on: `0` for the control, `1` for `Variant 1`. If it is left out, the experiment stops.
             * @example 1
             */
            serve_variant_id?: string;
            /**
             * Format: int64
             * @description Percent of the visitors who get the served variant; only with `serve_variant_id`.
             * @default 100
             */
            traffic_allocation?: number;
        };
        /**
         * @description Outcome of an experiment: a variant `won`, the control was better (`lost`), no relevant difference or not enough data (`inconclusive`), `stopped_early`, or the data cannot be used (`invalid`).
         * @enum {string}
         */
        ConclusionOutcome: "won" | "lost" | "inconclusive" | "stopped_early" | "invalid";
        /** @description Conclusion of an experiment. */
        ConclusionShown: {
            /**
             * Format: date-time
             * @description Time of the conclusion.
             */
            concluded_at: string;
            /**
             * @description Name of the person who concluded it.
             * @example Ada Lovelace
             */
            concluded_by: string | null;
            /**
             * Format: int64
             * @description Id of the hypothesis that continues this test; null if there is none.
             * @example 12
             */
            follow_up_hypothesis_id: number | null;
            /**
             * @description Lesson beyond this test; empty if there is none.
             * @example Visitors on phones leave at the address.
             */
            learned: string;
            /** @description Manifest that the verdicts were computed from, as in results; null if no result could be computed. */
            manifest: unknown;
            /**
             * @description Reason for the outcome, in the team's words.
             * @example Fewer fields, more orders.
             */
            note: string;
            /** @description Outcome. */
            outcome: components["schemas"]["ConclusionOutcome"];
            /**
             * @description Reason why the outcome is right although the verdict contradicts it; null if it does not.
             * @example A study with users said the same.
             */
            override_reason: string | null;
            /** @description Verdict on each variant at that time, by variant id; null if no result could be computed. */
            verdicts: unknown;
        };
        /** @description A condition in a rule with groups. All groups must match; within a group, any condition. */
        Condition: {
            /** @description Name of the value to compare, such as an attribute. */
            criteria: string;
            /** @description Comparison. */
            operator: components["schemas"]["Operator"];
            /**
             * @description Value to compare with, as text even for numbers (`"5"`). Ignored for `ex`, `nx`, `bt` and `bf`, where it may be
             *     null or left out.
             * @example 5
             */
            value?: string | null;
        };
        /**
         * @description Settings for running and ending an experiment. Missing keys return to their
         *     defaults.
         */
        Configuration: {
            /** @description 1 Bayesian statistics (the default), 0 frequentist. */
            bayesian?: components["schemas"]["Flag"];
            /**
             * Format: int64
             * @description Ends the experiment this number of days after its first start; 0 turns the rule off.
             */
            completion_after_period?: number;
            /**
             * Format: int64
             * @description Ends the experiment once this many visitors have converted on the primary goal, all arms
             *     together; 0 turns the rule off.
             */
            completion_conversion?: number;
            /**
             * @description 1: ends the experiment when the verdict on the primary goal is reached and no health check
             *     fails.
             */
            completion_stats_significant_flag?: components["schemas"]["Flag"];
            /**
             * Format: int64
             * @description Ends the experiment once this many visitors have entered, all arms together; 0 turns the rule
             *     off.
             */
            completion_visitor?: number;
            /**
             * Format: int64
             * @description Confidence threshold in percent.
             * @default 95
             */
            confidence_interval?: number;
            distribution?: components["schemas"]["Distribution"] | null;
            /**
             * @description Options for applying changes to the page, separated by spaces. `early` runs code at once, `once` changes each element once,
             *     with `hydrated`, changes of text and nodes wait for a framework, and with `immediate` they never wait.
             */
            dom_change_path?: string | null;
            /** @description When it is deactivated. A date that has passed when the experiment is started has no effect. */
            end_test_date?: components["schemas"]["Moment"];
            /**
             * @description Integrations to which a visitor's arm is sent: a name, or `{"name", "settings"}`. Unknown
             *     names are stored, but nothing is sent to them, and the response has a warning.
             */
            integration?: components["schemas"]["Integration"][];
            /** @description Automatically serves a winner to more and more visitors, and stops when it makes something worse. */
            is_autopilot?: components["schemas"]["Flag"];
            /** @description Multi-armed bandit: while the experiment is live, its weights follow the result of the primary goal. */
            is_mab?: components["schemas"]["Flag"];
            /** @description Start time of a draft or inactive experiment. A date that has passed when it is set has no effect. */
            start_test_date?: components["schemas"]["Moment"];
            /**
             * Format: int64
             * @description Percentage of eligible visitors that enter.
             * @default 100
             */
            traffic_allocation?: number;
            /** @description When variant code runs on dynamic pages. */
            trigger_variant_change?: string | null;
        };
        /**
         * @description Behaviour before a visitor has answered the consent question: `assumed` (recorded unless denied), `required` (nothing is decided, stored or sent), `memory` (decided and shown, not stored; sent once consent is granted).
         * @enum {string}
         */
        ConsentMode: "assumed" | "required" | "memory";
        /**
         * @description Visitor's answer to the consent question.
         * @enum {string}
         */
        ConsentWord: "granted" | "denied" | "unknown";
        /** @description A visitor: `targetingKey`, known facts such as `country` and `url`, and attributes. */
        Context: {
            /** @description The visitor's id. */
            targetingKey: string;
        };
        /** @description The control. */
        Control: {
            /** @description CSS that only the control gets. */
            customCSS: string;
            /** @description JavaScript that only the control runs. */
            customJS: string;
            /** @description Label for people. */
            nickname: string;
        };
        /** @description Raw attributes of the control, or a JSON string of them. */
        ControlAttributes: string | components["schemas"]["ControlAttributesObject"];
        /** @description Raw attributes of the control. */
        ControlAttributesObject: {
            /** @description CSS that only the control gets. */
            css?: string;
            /** @description JavaScript that only the control runs. */
            js?: string;
            /** @description Label for people. */
            name?: string;
        };
        /** @description Label and code of the control. */
        ControlBody: {
            /** @description CSS that only the control gets, at most 512 KiB. */
            customCSS?: string;
            /** @description JavaScript that only the control runs, at most 512 KiB. */
            customJS?: string;
            /** @description Label for people. */
            nickname?: string;
        };
        /** @description A country that is included or excluded. */
        Country: {
            /** @description ISO 3166-1 alpha-2 code. */
            code: string;
            /** @description Display name. */
            name: string;
            /** @description Includes or excludes it. */
            rule: components["schemas"]["CountryMode"];
        };
        /**
         * @description Includes or excludes.
         * @enum {string}
         */
        CountryMode: "whitelist" | "blacklist";
        /** @description Value of one unit of a currency from a day on, until its next rate. */
        CurrencyRate: {
            /** @description ISO 4217 code. */
            currency: string;
            /**
             * Format: date
             * @description First day on which it applies, in UTC.
             */
            date: string;
            /**
             * Format: double
             * @description Value of one unit in the currency of the table.
             */
            rate: number;
        };
        /**
         * @description A day of the week.
         * @enum {string}
         */
        Day: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday";
        /** @description Smallest detectable lift by the end of a day. */
        DayForecast: {
            /**
             * Format: int64
             * @description Days since the start.
             */
            day: number;
            /**
             * Format: double
             * @description Smallest lift in percent; null if no lift is detectable.
             */
            mde: number | null;
            /**
             * Format: int64
             * @description Number of visitors by then.
             */
            visitors: number;
        };
        /** @description Comment of the person who decides. */
        DecisionBody: {
            /** @description Reason for the decision. */
            reason?: string;
        };
        /**
         * @description A delivery of an event to a webhook. Finished deliveries are listed for 30
         *     days.
         */
        Delivery: {
            /**
             * Format: date-time
             * @description Time of the event.
             */
            at: string;
            /**
             * Format: int64
             * @description Number of attempts.
             */
            attempts: number;
            /**
             * Format: int64
             * @description Identifies the delivery.
             */
            delivery_id: number;
            /**
             * @description Type of the event.
             * @example experiment.started
             */
            event: string;
            /**
             * Format: date-time
             * @description Time of the next attempt; null if there is none.
             */
            next_at: string | null;
            /**
             * @description Reason why the last attempt failed; null if it did not.
             * @example answered 500
             */
            reason: string | null;
            /**
             * Format: int64
             * @description HTTP status of the last response; null without one.
             */
            response_code: number | null;
            /** @description State of the delivery. */
            status: components["schemas"]["DeliveryStatus"];
        };
        /** @description Deliveries of a webhook. */
        DeliveryList: {
            /** @description Number of deliveries on this page. */
            count: number;
            /** @description Newest first. */
            deliveries: components["schemas"]["Delivery"][];
            /** @description Always true. */
            success: boolean;
        };
        /** @description A message was queued for delivery. */
        DeliveryQueued: {
            /**
             * Format: int64
             * @description Id of the delivery.
             */
            delivery_id: number;
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Id of the webhook.
             */
            webhook_id: number;
        };
        /**
         * @description `pending` waits for an attempt, `delivered` was delivered, `failed` is not retried.
         * @enum {string}
         */
        DeliveryStatus: "pending" | "delivered" | "failed";
        /**
         * @description A kind of device.
         * @enum {string}
         */
        Device: "desktop" | "mobile" | "tablet";
        /**
         * @description `"equal"`, `"manual"` (the weights in force), an object of weights, or a string with such
         *     an object as JSON.
         */
        Distribution: string | components["schemas"]["Weights"];
        /** @description Distribution of an experiment's traffic. */
        DistributionAnswer: {
            /**
             * @description Explanation of a bandit's weights. Present while `is_mab` is 1, the experiment is not a personalization, and it
             *     has been live as a bandit.
             */
            bandit?: components["schemas"]["Bandit"];
            /** @description `equal`, `custom` or `mab`. */
            distribution_mode: components["schemas"]["DistributionMode"];
            /** @description 1 in multi-armed bandit mode. */
            is_mab: components["schemas"]["Flag"];
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Id of the experiment.
             */
            test_id: number;
            /**
             * Format: int64
             * @description Percentage of eligible visitors that enter.
             */
            traffic_allocation: number;
            /** @description The control first. */
            variants: components["schemas"]["ArmShare"][];
        };
        /**
         * @description Distribution of traffic: equal, by chosen weights, or by the bandit.
         * @enum {string}
         */
        DistributionMode: "equal" | "custom" | "mab";
        /** @description Settings of a copy. */
        DuplicateBody: {
            /** @description Display name. Default: the original's name with " (copy)" appended. */
            test_name?: string;
        };
        /** @description A copy was created. */
        Duplicated: {
            /** @description Key of the copy. */
            experiment_key: string;
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Id of the copy, a draft.
             */
            test_id: number;
            /** @description Warnings for the owner of the copy. */
            warnings: string[];
        };
        /** @description An API key that was revoked because its creator was removed. */
        EndedKey: {
            /**
             * @description Purpose of the key.
             * @example nightly export
             */
            name: string;
            /**
             * @description First 8 characters after `mrl_`, which identify the key.
             * @example Q2f8kX3m
             */
            prefix: string;
        };
        /** @description Access that was revoked when a person was removed. */
        EndedWithPerson: {
            /**
             * Format: int64
             * @description Number of open invitations by or for the person.
             */
            invitations: number;
            /** @description API keys in use that the person created. They are revoked: create new ones for the programs that used them. */
            keys: components["schemas"]["EndedKey"][];
            /**
             * Format: int64
             * @description Number of links for setting a new password.
             */
            password_links: number;
            /**
             * Format: int64
             * @description Number of the person's sessions.
             */
            sessions: number;
            /**
             * Format: int64
             * @description Number of links to results that the person created, directly or with their keys.
             */
            shares: number;
        };
        /** @description Numbers of runs by the cause of their end. */
        EndShares: {
            conversions: components["schemas"]["RunShareView"];
            days: components["schemas"]["RunShareView"];
            period: components["schemas"]["RunShareView"];
            significant: components["schemas"]["RunShareView"];
            visitors: components["schemas"]["RunShareView"];
        };
        /** @description A period in which assignment did not change. */
        Epoch: {
            /**
             * Format: int64
             * @description Number of the epoch; 1 begins with the first start.
             */
            epoch: number;
            /** @description Reasons why it began. */
            reasons: components["schemas"]["Reason"][];
            /**
             * Format: date-time
             * @description Time at which it began. It lasts until the next one begins.
             */
            started_at: string;
            /**
             * Format: int64
             * @description Percentage of eligible visitors that enter.
             */
            traffic_allocation: number;
            /** @description Percentage of the entering visitors per variant, by name. */
            weights: components["schemas"]["Weights"];
        };
        /** @description Visitors of an epoch, by arm. */
        EpochRatio: {
            /**
             * Format: double
             * @description p-value of Pearson's chi-squared test of this epoch alone.
             */
            chi_squared_p_value: number | null;
            /**
             * Format: int64
             * @description Number of the epoch. Exposures without an epoch, or with one that was never reached, belong to the epoch at
             *     their time.
             */
            epoch: number;
            /** @description Expected number of visitors per arm, from the weights. */
            expected: number[];
            /** @description Number of visitors per arm, the control first. */
            observed: number[];
            /**
             * Format: double
             * @description p-value of the sequential test of this epoch alone.
             */
            p_value: number | null;
        };
        /** @description Body of all errors. */
        ErrorBody: {
            /** @description Error code, one of the documented list. */
            code: string;
            /** @description Message for people. Its wording can change. */
            error: string;
            /** @description All problems that were found. */
            errors: components["schemas"]["FieldError"][];
            /** @description Request id. Quote it when you ask for help. */
            request_id: string;
            /** @description Always false. */
            success: boolean;
        };
        /** @description Experiments and visitors to evaluate. */
        EvaluateManyBody: {
            contexts: components["schemas"]["Context"][];
            /** @description Keys of the experiments. Default: all experiments that are live or serve a winner. */
            experiment_keys?: string[] | null;
        };
        /** @description Assignment of the visitor. */
        Evaluation: {
            /** @description The experiment's key. */
            key: string;
            metadata: components["schemas"]["EvaluationMetadata"];
            /** @description `SPLIT`, `STATIC` (a winner is served), `DEFAULT` (not included) or `DISABLED` (not live). */
            reason: string;
            /** @description `Control` or `Variant N`. */
            value: string;
            /** @description Same as `value`. */
            variant: string;
        };
        /**
         * @description Error of an evaluation request.
         * @enum {string}
         */
        EvaluationErrorCode: "PARSE_ERROR" | "TARGETING_KEY_MISSING" | "INVALID_CONTEXT" | "FLAG_NOT_FOUND" | "GENERAL";
        /** @description An error of the OpenFeature Remote Evaluation Protocol. */
        EvaluationFailure: {
            errorCode: components["schemas"]["EvaluationErrorCode"];
            errorDetails: string;
            key?: string | null;
        };
        /** @description Metadata for telemetry. */
        EvaluationMetadata: {
            /** Format: int64 */
            epoch: number;
            /** @description True when the visitor takes part. Send an exposure only then. */
            in_experiment: boolean;
            reason: components["schemas"]["AssignmentReason"];
            /** Format: int64 */
            test_id: number;
            /** @description Rules that only a page can check and that were therefore skipped, by name, separated by commas. */
            unenforced: string;
            /** @description Variant number as text; `0` is the control. */
            variant_id: string;
        };
        /** @description Request of the OpenFeature Remote Evaluation Protocol. */
        EvaluationRequest: {
            context: components["schemas"]["Context"];
        };
        /** @description All experiments that are live or serve a winner. */
        Evaluations: {
            flags: components["schemas"]["Evaluation"][];
        };
        /** @description Expected loss with an even split. */
        EvenSplit: {
            /**
             * Format: double
             * @description Regret as for the bandit.
             * @example 104
             */
            regret: number | null;
            /**
             * @description Interval of the regret.
             * @example [
             *       40,
             *       170
             *     ]
             */
            regret_interval: number[] | null;
        };
        /** @description One event. Its fields besides `id`, `type` and `at` depend on the type; fields of other types are ignored. */
        EventBody: {
            /** @description Time of the event by the client's clock. Default: the time of arrival. */
            at?: string | null;
            /** @description `identify` (required): facts about the visitor from now on, at most 100 texts, numbers and booleans. */
            attributes?: {
                [key: string]: unknown;
            } | null;
            /** @description `click` (required): `element`, `text` or `link`. */
            by?: string | null;
            /** @description `exposure`: facts known about the visitor, as texts, numbers and booleans. */
            context?: {
                [key: string]: unknown;
            } | null;
            /** @description `order` (required): ISO 4217 currency code in capitals. */
            currency?: string | null;
            /**
             * Format: int64
             * @description `exposure`: epoch that came with the decision. Default: the epoch at the event's time.
             */
            epoch?: number | null;
            /** @description `click` on a link (required): target of the link. */
            href?: string | null;
            /**
             * @description UUID generated by the client, preferably version 7. With a key, an id counts once per project; without
             *     a key, once per visitor.
             */
            id: string;
            /** @description `custom` (required), `order` (required): name of the event, which goals look for. */
            name?: string | null;
            /** @description `order`: order number in your shop. Orders with the same number count once. */
            order_id?: string | null;
            /** @description Any type: custom properties, at most 100 texts, numbers and booleans. */
            properties?: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: double
             * @description `order`: number of items.
             */
            quantity?: number | null;
            /** @description `pageview`: URL of the previous page. */
            referrer?: string | null;
            /** @description `order` with a negative value: `order_id` of the order that is refunded. */
            refund_of?: string | null;
            /** @description Any type: id of the visit, chosen by the client. */
            session?: string | null;
            /**
             * Format: int64
             * @description `exposure` (required), `health`: id of the experiment.
             */
            test_id?: number | null;
            /**
             * @description `submit`, `appear`, `script` and `click` on an element or a text (all required): value of the goal, such as a
             *     selector.
             */
            trigger?: string | null;
            type: components["schemas"]["EventType"];
            /** @description Any type: URL of the page. Required for `pageview`. */
            url?: string | null;
            /**
             * Format: double
             * @description `order` (required): amount, negative for a refund. `scroll` (required): percent. `duration` (required): seconds.
             *     `custom`: any number.
             */
            value?: number | null;
            /** @description `exposure` (required), `health`: `"0"` for the control, or the number of a variant, as text. */
            variant_id?: string | null;
        };
        /** @description Outcome of a line with a single event. A line that could not be parsed is `invalid`. */
        EventLineTaken: {
            /** @description Event id as sent. Null if it is missing or longer than 64 bytes. */
            id?: string | null;
            /**
             * Format: int64
             * @description Line number, from 1. Blank lines count.
             */
            line: number;
            /** @description Reason why the event is invalid. */
            message?: string | null;
            /**
             * @description Note as in the results of `sendEvents`. It appears at the first event of the batch that it applies to, with the
             *     number of the others.
             */
            note?: string | null;
            status: components["schemas"]["EventStatus"];
        };
        /**
         * @description Event that webhooks can receive.
         * @enum {string}
         */
        EventName: "experiment.started" | "experiment.stopped" | "experiment.concluded" | "experiment.reopened" | "experiment.changed" | "experiment.start_failed" | "experiment.act_held_back" | "winner.served" | "winner.stopped" | "health.failed" | "health.recovered" | "verdict.reached" | "conversion";
        /** @description Outcome of an event. */
        EventResult: {
            /** @description Event id as sent. */
            id?: string | null;
            /** @description Reason why the event is invalid. */
            message?: string | null;
            /**
             * @description Note about an event that is `ok`: an exposure dated before the experiment's first start is stored but not
             *     counted in results; a time in the future became the time of receipt; an order number that a template left
             *     unfilled was ignored; a refund does not name an order; half of a surrogate pair or NUL became U+FFFD; or a
             *     number beyond ±2⁵³ became text.
             */
            note?: string | null;
            status: components["schemas"]["EventStatus"];
        };
        /** @description Event that a visitor must, or must not, have triggered before. */
        EventRule: {
            /** @description Conditions on its attributes: any group must match, with all its conditions. */
            attributes: components["schemas"]["AttributeCondition"][][];
            /**
             * Format: int64
             * @description Minimum number of occurrences; 1 unless given.
             * @default 1
             */
            min_count?: number;
            /** @description Name of the event. */
            name: string;
            /** @description Requires or forbids the event. */
            rule: components["schemas"]["Match"];
            /**
             * Format: int64
             * @description Number of days to look back; 0 (no limit) unless given.
             * @default 0
             */
            timeframe_days?: number;
        };
        /** @description Events of one visitor. */
        EventsBody: {
            consent?: components["schemas"]["ConsentWord"] | null;
            events: components["schemas"]["EventBody"][];
            sent_at?: components["schemas"]["Moment"] | null;
            visitor: components["schemas"]["EventsVisitor"];
        };
        /** @description A line of a batch: events of one visitor, or one event with its visitor. */
        EventsLine: components["schemas"]["EventsBody"] | components["schemas"]["EventWithVisitor"];
        /** @description Outcome of a line of a batch. */
        EventsLineTaken: components["schemas"]["BodyLineTaken"] | components["schemas"]["EventLineTaken"];
        /** @description Outcomes of the events. */
        EventsTaken: {
            results: components["schemas"]["EventResult"][];
            success: boolean;
            /**
             * @description Signature of the visitor's id, to be sent as `visitor.signature` from then on. Absent when a valid signature or
             *     a key was sent, for bots, and when the network got 100 signatures in this hour.
             */
            visitor_signature?: string | null;
        };
        /**
         * @description `ok`: stored durably. `duplicate`: was stored before. `invalid`: not stored.
         * @enum {string}
         */
        EventStatus: "ok" | "duplicate" | "invalid";
        /** @description Visitor whose events they are. */
        EventsVisitor: {
            /** @description Attributes of the visitor: at most 100 texts, numbers and booleans. */
            attributes?: {
                [key: string]: unknown;
            } | null;
            /** @description Country as an ISO 3166-1 alpha-2 code. With a bearer key only. */
            country?: string | null;
            id: string;
            /** @description IP address. With a bearer key only. */
            ip?: string | null;
            /** @description `visitor_signature` of an earlier answer to this visitor's events. Ignored with a bearer key. */
            signature?: string | null;
            /** @description User agent. With a bearer key only. */
            user_agent?: string | null;
        };
        /**
         * @description Type of event.
         * @enum {string}
         */
        EventType: "exposure" | "pageview" | "click" | "submit" | "appear" | "scroll" | "duration" | "custom" | "order" | "script" | "identify" | "health";
        /** @description An event with its visitor. Its other fields depend on its type. */
        EventWithVisitor: {
            /** @description Time of the event, which is trusted because of the key. Default: the time of arrival. */
            at?: string | null;
            consent?: components["schemas"]["ConsentWord"] | null;
            /** @description UUID generated by the client, preferably version 7. An id counts once per project. */
            id: string;
            type: components["schemas"]["EventType"];
            visitor: components["schemas"]["EventsVisitor"];
        };
        /** @description Visits that results do not count. */
        Exclusion: {
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /** @description Author. */
            created_by: components["schemas"]["ActorView"];
            /**
             * Format: int64
             * @description Identifies the exclusion.
             */
            exclusion_id: number;
            /**
             * Format: date-time
             * @description Only visits at or after this time; null for no limit.
             */
            from: string | null;
            /** @description Property by which it excludes. */
            kind: components["schemas"]["ExclusionKind"];
            /**
             * @description Reason that the author gave.
             * @example Load test of 1 March
             */
            reason: string;
            /**
             * Format: date-time
             * @description Only visits before this time; null for no limit.
             */
            to: string | null;
            /** @description Value of the property; null for all visits of a period. */
            value: string | null;
        };
        /** @description A new exclusion. */
        ExclusionBody: {
            /**
             * Format: date-time
             * @description Only visits at or after this time. Required for `time`.
             */
            from?: string | null;
            /** @description Property by which it excludes. */
            kind: components["schemas"]["ExclusionKind"];
            /**
             * @description Reason, which is listed and kept in the audit log. It must not contain personal data.
             * @example Load test of 1 March
             */
            reason: string;
            /**
             * Format: date-time
             * @description Only visits before this time. Required for `time`.
             */
            to?: string | null;
            /**
             * @description Value of the property. `visitor`: a visitor's id. `network`: an IP address, whose /24 (IPv4) or /48 (IPv6) is
             *     excluded; visits that were sent with an API key have no network. `origin`: scheme, host and port of pages, such
             *     as `https://shop.example`. `user_agent`: one to three words for browser, system and device, such as `chrome
             *     windows desktop`. `source`: a traffic source, such as `paid`. Left out for `time`.
             * @example 203.0.113.7
             */
            value?: string | null;
        };
        /** @description An exclusion was created. */
        ExclusionCreated: {
            /** @description The new exclusion. */
            exclusion: components["schemas"]["Exclusion"];
            /** @description Always true. */
            success: boolean;
        };
        /** @description An exclusion was deleted. */
        ExclusionDeleted: {
            /**
             * Format: int64
             * @description Id of the deleted exclusion.
             */
            exclusion_id: number;
            /** @description Always true. */
            success: boolean;
        };
        /** @description An exclusion group, whose experiments share no visitor, or a holdout, whose visitors do not enter its experiments. */
        ExclusionGroup: {
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /**
             * Format: int64
             * @description Identifies the group.
             */
            group_id: number;
            /** @description Kind of group. */
            kind: components["schemas"]["GroupKind"];
            /** @description Experiments of an exclusion group, by slot; empty for a holdout. */
            members: components["schemas"]["ExclusionGroupMember"][];
            /**
             * @description Display name.
             * @example Checkout
             */
            name: string;
            /**
             * Format: double
             * @description Percent of the visitors who are held out; null for an exclusion group.
             * @example 5
             */
            percent: number | null;
            scope: components["schemas"]["HoldoutScope"] | null;
            /**
             * Format: date-time
             * @description Time since which a holdout has these visitors and experiments, and from which its result counts; null for an
             *     exclusion group.
             */
            since: string | null;
        };
        /** @description An experiment of an exclusion group. It gets the visitors whose bucket, from 0 to 999,999, is in its slot. */
        ExclusionGroupMember: {
            /**
             * Format: int32
             * @description First bucket of its slot.
             */
            from: number;
            /**
             * Format: double
             * @description Percent of all visitors that the experiment gets.
             * @example 30
             */
            percent: number;
            /**
             * Format: int64
             * @description Id of the experiment.
             */
            test_id: number;
            /**
             * Format: int32
             * @description First bucket after its slot.
             */
            to: number;
        };
        /**
         * @description Property by which recorded visits are excluded from results.
         * @enum {string}
         */
        ExclusionKind: "visitor" | "network" | "origin" | "user_agent" | "source" | "time";
        /** @description The visits that a project excludes from results. */
        ExclusionList: {
            /** @description Oldest first, at most 200. */
            exclusions: components["schemas"]["Exclusion"][];
            /** @description Always true. */
            success: boolean;
        };
        /** @description One experiment with all its settings. */
        ExperimentAnswer: {
            /** @description The experiment. */
            experiment: components["schemas"]["ExperimentDetails"];
            /** @description Always true. */
            success: boolean;
        };
        /** @description An experiment was created. */
        ExperimentCreated: {
            /**
             * Format: int64
             * @description Id of the company that owns it.
             */
            company_id: number;
            /** @description Key for servers and OpenFeature: the given key, or one generated from the name. */
            experiment_key: string;
            /**
             * Format: int64
             * @description Id of the primary goal.
             */
            goal_profile_id: number | null;
            /**
             * Format: int64
             * @description Planned total of visitors, if it was computed because the experiment is live and none was given.
             */
            planned_visitors?: number | null;
            /** @description Number of secondary goals. */
            secondary_goals_count: number;
            /** @description Status of the experiment. */
            status: components["schemas"]["StatusCode"];
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Id of the experiment.
             */
            test_id: number;
            /** @description Warnings, each with the name of the field. */
            warnings: string[];
        };
        /** @description A new experiment. */
        ExperimentCreation: {
            /** @description Built-in metrics to report. */
            builtin_metrics?: components["schemas"]["BuiltinMetric"][];
            /** @description Settings. */
            configuration?: components["schemas"]["Configuration"];
            /** @description Label and code of the control. */
            control?: components["schemas"]["ControlBody"];
            /** @description Same as `control` with the raw names, as an object or as a JSON string of that object. */
            control_attr?: components["schemas"]["ControlAttributes"];
            /** @description CSS for all assigned visitors, including the control's. */
            custom_css?: string;
            /** @description JavaScript for all assigned visitors, including the control's. */
            custom_js?: string;
            /** @description Raw events to report. */
            event_metrics?: string[];
            /** @description Permanent key; generated from `test_name` unless given. */
            experiment_key?: string;
            /**
             * Format: int64
             * @description Id of the hypothesis that it tests.
             */
            hypothesis_id?: number | null;
            /** @description Plan: smallest lift worth acting on, and number of visitors. */
            plan?: components["schemas"]["Plan"];
            /** @description Primary goal, which decides the result. Found by name and type, or created. */
            primary_goal?: components["schemas"]["InlineGoal"];
            /** @description Key of an existing goal, the primary one, which decides the result. */
            primary_goal_key?: string | null;
            /** @description Keys of existing goals to report in addition to the primary one. */
            secondary_goal_keys?: string[];
            /** @description Secondary goals. Found by name and type, or created. */
            secondary_goals?: components["schemas"]["InlineGoal"][];
            /** @description Status; 9 (draft) unless given. */
            status?: components["schemas"]["StatusCode"];
            /** @description Labels. */
            tags?: string[];
            /** @description Visitors and pages on which the experiment runs. */
            targeting?: components["schemas"]["Targeting"];
            /** @description Display name. */
            test_name: string;
            /** @description Type; `abtest` unless given. */
            test_type?: components["schemas"]["TestType"];
            /** @description Page that the editor opens. A URL, not a pattern. */
            url: string;
            /** @description Variants without the control. */
            variants: components["schemas"]["VariantBody"][];
            /** @description URL of the page, or a pattern for a test on many pages. Default: `url`. */
            variants_data_key?: string;
        };
        /** @description An experiment was deleted. */
        ExperimentDeleted: {
            /** @description Always true. */
            deleted: boolean;
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Id of the deleted experiment.
             */
            test_id: number;
            /** @description True when it was live, so that visitors notice. */
            was_live: boolean;
        };
        /** @description An experiment with all its settings. The value of each field that PATCH accepts can be sent back unchanged. */
        ExperimentDetails: {
            /** @description True while it is archived; absent otherwise. */
            archived?: boolean;
            /** @description Built-in metrics to report. */
            builtin_metrics: string[];
            /**
             * Format: int64
             * @description Id of the company that owns the project.
             */
            company_id: number;
            /** @description Settings, complete with defaults. */
            configuration: components["schemas"]["Configuration"];
            /** @description The control. */
            control: components["schemas"]["Control"];
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /** @description CSS for all assigned visitors, including the control's. */
            custom_css: string;
            /** @description JavaScript for all assigned visitors, including the control's. */
            custom_js: string;
            /** @description Periods in which assignment did not change, oldest first. */
            epochs: components["schemas"]["Epoch"][];
            /** @description Raw events to report. */
            event_metrics: string[];
            /** @description Permanent key for servers and files. */
            experiment_key: string;
            hypothesis?: components["schemas"]["HypothesisExcerpt"] | null;
            /**
             * Format: int64
             * @description Id of the hypothesis that it tests.
             */
            hypothesis_id: number | null;
            /** @description Integrations in `configuration.integration` that have an effect. */
            integrations: components["schemas"]["IntegrationState"][];
            /** @description 1 when concluded. */
            is_completed: components["schemas"]["Flag"];
            /** @description 1 while a winner is served. */
            is_deploy: components["schemas"]["Flag"];
            /** @description Plan: smallest lift worth acting on, and number of visitors. */
            plan: components["schemas"]["Plan"];
            primary_goal: components["schemas"]["Goal"] | null;
            /** @description Key of the primary goal. */
            primary_goal_key: string | null;
            /** @description Key of the project. */
            project_key: string;
            /** @description Next and last action of the clock. */
            schedule: components["schemas"]["ExperimentSchedule"];
            /** @description Keys of the secondary goals, in order. */
            secondary_goal_keys: string[];
            /**
             * Format: int64
             * @description Percent of the visitors who get the winner; absent if none is served.
             */
            serving_traffic_allocation?: number | null;
            /** @description Variant that is served, whatever its rollout; null after serving stopped; absent if none was ever served. */
            serving_variant_id?: string | null;
            /** @description 9 draft, 1 live, 0 inactive. */
            status: components["schemas"]["StatusCode"];
            /** @description Labels. */
            tags: string[];
            /** @description Targeting, complete with defaults; empty lists restrict nothing. */
            targeting: components["schemas"]["Targeting"];
            /**
             * Format: int64
             * @description Identifies the experiment.
             */
            test_id: number;
            /** @description Display name. */
            test_name: string;
            /** @description Type of the test. */
            test_type: components["schemas"]["TestType"];
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            updated_at: string;
            /** @description The page that the editor opens. */
            url: string;
            /** @description The other variants, `Variant 1` first. */
            variants: components["schemas"]["Variant"][];
            /** @description Key under which the variants are stored. */
            variants_data_key: string;
        };
        /** @description The id and the key of an experiment. */
        ExperimentKey: {
            /** @description Permanent key for servers and files. */
            experiment_key: string;
            /**
             * Format: int64
             * @description Identifies the experiment.
             */
            test_id: number;
        };
        /** @description A page of ids and keys. */
        ExperimentKeys: {
            /** @description Number of experiments on this page. */
            count: number;
            /** @description Lowest id first. */
            experiments: components["schemas"]["ExperimentKey"][];
            /**
             * Format: int64
             * @description Value to send as `after` for the next page; null when there is none.
             */
            next_after: number | null;
            /** @description Always true. */
            success: boolean;
        };
        /** @description A page of a company's experiments. */
        ExperimentList: {
            /**
             * Format: int64
             * @description Id of the company that owns the project.
             */
            company_id: number;
            /** @description Number of experiments on this page. */
            count: number;
            /** @description Newest created first, then highest id. */
            experiments: components["schemas"]["ExperimentSummary"][];
            /** @description Always true. */
            success: boolean;
        };
        /** @description Changes to an experiment. Only fields that are sent change. The value of such a field is replaced as a whole. */
        ExperimentPatch: {
            /** @description Built-in metrics to report. */
            builtin_metrics?: components["schemas"]["BuiltinMetric"][];
            /** @description Settings. */
            configuration?: components["schemas"]["Configuration"];
            /** @description Label and code of the control. */
            control?: components["schemas"]["ControlBody"];
            /** @description Same as `control` with the raw names, as an object or as a JSON string of that object. */
            control_attr?: components["schemas"]["ControlAttributes"];
            /** @description CSS for all assigned visitors, including the control's. */
            custom_css?: string;
            /** @description JavaScript for all assigned visitors, including the control's. */
            custom_js?: string;
            /** @description Raw events to report. */
            event_metrics?: string[];
            /**
             * Format: int64
             * @description Id of the hypothesis that it tests.
             */
            hypothesis_id?: number | null;
            /** @description Plan: smallest lift worth acting on, and number of visitors. */
            plan?: components["schemas"]["Plan"];
            /** @description Key of the primary goal, which decides the result. */
            primary_goal_key?: string | null;
            /** @description Keys of the goals to report in addition to the primary one; `[]` removes all of them. */
            secondary_goal_keys?: string[];
            /** @description Labels. */
            tags?: string[];
            /** @description Visitors and pages on which the experiment runs. */
            targeting?: components["schemas"]["Targeting"];
            /** @description New display name. */
            test_name?: string;
            /** @description New page that the editor opens. A URL, not a pattern. */
            url?: string;
            /** @description The complete new list of variants. Variants that are left out are deleted with their code. */
            variants?: components["schemas"]["VariantBody"][];
            /** @description Current `variants_data_key` of the experiment. Required with `variants` when it is a pattern. */
            variants_data_key?: string;
        };
        /** @description Next and last action of the clock on an experiment. */
        ExperimentSchedule: {
            last: components["schemas"]["LastClockAct"] | null;
            next: components["schemas"]["NextClockAct"] | null;
        };
        /** @description An experiment as lists show it. */
        ExperimentSummary: {
            /**
             * Format: date-time
             * @description Time of creation: ISO 8601, UTC, milliseconds.
             */
            created_at: string;
            hypothesis?: components["schemas"]["HypothesisExcerpt"] | null;
            /**
             * Format: int64
             * @description Id of the hypothesis that it tests.
             */
            hypothesis_id: number | null;
            /** @description 1 when concluded. */
            is_completed: components["schemas"]["Flag"];
            /** @description 1 while a winner is served. */
            is_deploy: components["schemas"]["Flag"];
            /**
             * @description Variant that is served at 100 %; null while its rollout is lower and after serving stopped; absent if none was
             *     ever served.
             */
            serving_variant_id?: string | null;
            /** @description 9 draft, 1 live, 0 inactive. */
            status: components["schemas"]["StatusCode"];
            /**
             * Format: int64
             * @description Identifies the experiment.
             */
            test_id: number;
            /** @description Display name. */
            test_name: string;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            updated_at: string;
            /** @description URL of the tested page. */
            url: string;
        };
        /** @description An experiment was changed. */
        ExperimentUpdated: {
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Id of the experiment.
             */
            test_id: number;
        };
        /** @description All steps of a decision. */
        Explanation: {
            /**
             * @description Reason why the script does nothing on the context's `url`, whatever was decided: the experiment runs on other
             *     pages. Absent if it runs there, and if no `url` is known.
             */
            elsewhere?: string;
            /**
             * Format: int64
             * @description Epoch of the decision.
             */
            epoch: number;
            /** @description Key of the experiment. */
            experiment_key: string;
            /** @description True when the visitor takes part and is counted. */
            in_experiment: boolean;
            /** @description Reason for the assignment. */
            reason: components["schemas"]["AssignmentReason"];
            /** @description All checks, in the order in which they are made. */
            steps: components["schemas"]["ExplanationStep"][];
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Id of the experiment.
             */
            test_id: number;
            /** @description Names of the rules that only a page can check and that were therefore skipped. */
            unenforced: string[];
            /** @description `Control` or `Variant N`; null if the visitor is not included. */
            variant?: string | null;
            /** @description Id of the visitor. */
            visitor: string;
        };
        /** @description One check. */
        ExplanationStep: {
            /** @description Name of the check: `status`, `traffic`, `variant`, or a targeting rule. */
            check: string;
            /** @description Explanation of the outcome. */
            detail: string;
            /** @description Outcome of the check. */
            outcome: components["schemas"]["StepOutcome"];
        };
        /** @description An arm that was added or changed after the plan was locked. */
        ExploratoryArm: {
            /** @description Reason why it is exploratory, as a sentence. */
            exploratory_reason: string;
            /** @description Variant number as text. */
            variant_id: string;
        };
        /** @description A field that would change. */
        FieldChange: {
            /** @description New value; null if it would not exist. */
            after: unknown;
            /** @description Current value; null if it does not exist. */
            before: unknown;
            /**
             * @description Path in the experiment's details.
             * @example configuration.traffic_allocation
             */
            field: string;
        };
        /** @description Problem of one value. */
        FieldError: {
            /** @description Path of the value, such as `variants[1].name`. */
            field: string;
            /** @description Problem, worded to follow the field's name. */
            message: string;
        };
        /**
         * @description 0 or 1.
         * @enum {integer}
         */
        Flag: 0 | 1;
        /** @description Location of a connection. */
        GeographyAnswer: {
            /** @description City, such as `Berlin (Berlin)`. */
            city?: string | null;
            /** @description Country as an ISO 3166-1 alpha-2 code. */
            country?: string | null;
            /** @description Region, such as `California (US)`. */
            region?: string | null;
        };
        /** @description A goal. */
        Goal: {
            /**
             * Format: double
             * @description Maximum value that one visitor contributes.
             */
            cap: number | null;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /**
             * @description Currency in which orders are counted (ISO 4217). If null, the one of most buyers whose orders were sent
             *     with a key, or else of most buyers.
             */
            currency: string | null;
            /** @description Page on which the element was picked. */
            element_url: string | null;
            /** @description Permanent key. */
            goal_key: string;
            /** @description Display name. */
            goal_name: string;
            /**
             * Format: int64
             * @description Identifies the goal.
             */
            goal_profile_id: number;
            /** @description Purpose. */
            goal_purpose: components["schemas"]["GoalPurpose"];
            /** @description Kind of event that counts as a conversion. */
            goal_type: components["schemas"]["GoalType"];
            /** @description Value that the type looks for, as sent. */
            goal_value: components["schemas"]["GoalValue"];
            /**
             * Format: double
             * @description Largest plausible value of an order. Larger orders do not count. If null, orders sent without a key count
             *     up to ten times the largest order sent with one.
             */
            max_order_value: number | null;
            /**
             * Format: int64
             * @description Events needed for a conversion.
             */
            min_count: number;
            /**
             * Format: int64
             * @description Days after an exposure within which an event counts; null for the whole test.
             */
            window_days: number | null;
        };
        /** @description Activity of a goal in the last days. */
        GoalActivity: {
            /** @description Days in UTC, earliest first. The last one is today, which is not complete. */
            days: components["schemas"]["GoalDay"][];
            /** @description Key of the goal. */
            goal_key: string;
            /**
             * Format: int64
             * @description Id of the goal.
             */
            goal_profile_id: number;
            /**
             * Format: date-time
             * @description Time of the last match within those days; null if there was none.
             */
            last_seen: string | null;
            /** @description Always true. */
            success: boolean;
            /** @description Experiments that report it, lowest id first. */
            tests: components["schemas"]["GoalTest"][];
        };
        /** @description One goal. */
        GoalAnswer: {
            /** @description The goal. */
            goal: components["schemas"]["Goal"];
            /** @description Always true. */
            success: boolean;
        };
        /** @description A new goal. */
        GoalBody: {
            /**
             * Format: double
             * @description Maximum value that one visitor contributes.
             */
            cap?: number | null;
            /** @description Currency in which orders are counted (ISO 4217). */
            currency?: string | null;
            /** @description Page on which the element was picked. */
            element_url?: string | null;
            /** @description Permanent key; generated from the name unless given. */
            goal_key?: string;
            /** @description Display name. */
            goal_name: string;
            /** @description Purpose; `sell` unless given. */
            goal_purpose?: components["schemas"]["GoalPurpose"];
            /** @description Kind of event that counts as a conversion. */
            goal_type: components["schemas"]["GoalType"];
            /** @description Value that the type looks for, such as a selector. */
            goal_value: components["schemas"]["GoalValue"];
            /**
             * Format: double
             * @description Largest plausible value of an order. Larger orders do not count.
             */
            max_order_value?: number | null;
            /**
             * Format: int64
             * @description Events needed for a conversion; 1 unless given.
             */
            min_count?: number;
            /**
             * Format: int64
             * @description Days after an exposure within which an event counts.
             */
            window_days?: number | null;
        };
        /** @description A goal was created or changed. */
        GoalChanged: {
            /**
             * Format: int64
             * @description Id of the company that owns the project.
             */
            company_id: number;
            /** @description Key of the goal. */
            goal_key: string;
            /**
             * Format: int64
             * @description Id of the goal.
             */
            goal_profile_id: number;
            /** @description Always true. */
            success: boolean;
        };
        /** @description A day of a goal. */
        GoalDay: {
            /**
             * Format: date
             * @description YYYY-MM-DD, in UTC.
             */
            date: string;
            /**
             * Format: int64
             * @description Number of matching events, without bots.
             */
            matches: number;
            /**
             * Format: int64
             * @description Number of visitors with a matching event.
             */
            visitors: number;
        };
        /** @description A goal was deleted. */
        GoalDeleted: {
            /** @description Always true. */
            deleted: boolean;
            /**
             * Format: int64
             * @description Id of the deleted goal.
             */
            goal_profile_id: number;
            /** @description Always true. */
            success: boolean;
        };
        /** @description Summary of a goal. */
        GoalExcerpt: {
            /** @description Permanent key. */
            goal_key: string;
            /** @description Display name. */
            goal_name: string;
            /** @description Kind of event that counts as a conversion. */
            goal_type: string;
            /** @description Value that the type looks for: text, or a number. */
            goal_value: components["schemas"]["GoalValue"];
        };
        /** @description A page of a project's goals. */
        GoalList: {
            /**
             * Format: int64
             * @description Id of the company that owns the project.
             */
            company_id: number;
            /** @description Number of goals on this page. */
            count: number;
            /** @description Oldest first. */
            goals: components["schemas"]["Goal"][];
            /** @description Always true. */
            success: boolean;
        };
        /** @description Changes to a goal. */
        GoalPatch: {
            /**
             * Format: double
             * @description Maximum value that one visitor contributes.
             */
            cap?: number | null;
            /** @description Currency in which orders are counted (ISO 4217). */
            currency?: string | null;
            /** @description Page on which the element was picked. */
            element_url?: string | null;
            /** @description Display name. */
            goal_name?: string;
            /** @description Purpose. */
            goal_purpose?: components["schemas"]["GoalPurpose"];
            /** @description Kind of event that counts as a conversion. */
            goal_type?: components["schemas"]["GoalType"];
            /** @description Value that the type looks for, such as a selector. */
            goal_value?: components["schemas"]["GoalValue"];
            /**
             * Format: double
             * @description Largest plausible value of an order. Larger orders do not count.
             */
            max_order_value?: number | null;
            /**
             * Format: int64
             * @description Events needed for a conversion.
             */
            min_count?: number;
            /**
             * Format: int64
             * @description Days after an exposure within which an event counts.
             */
            window_days?: number | null;
        };
        /**
         * @description Purpose of a goal.
         * @enum {string}
         */
        GoalPurpose: "sell" | "engage" | "generate";
        /**
         * @description Role of a goal in the experiment.
         * @enum {string}
         */
        GoalRole: "primary" | "secondary";
        /** @description An experiment that reports a goal. */
        GoalTest: {
            /** @description Role of the goal in the experiment. */
            role: components["schemas"]["GoalRole"];
            /** @description 9 draft, 1 live, 0 inactive. */
            status: components["schemas"]["StatusCode"];
            /**
             * Format: int64
             * @description Identifies the experiment.
             */
            test_id: number;
            /** @description Display name. */
            test_name: string;
        };
        /**
         * @description Kind of event that counts as a conversion.
         * @enum {string}
         */
        GoalType: "pageview" | "pageviewExact" | "pageviewWildcard" | "pageviewRegex" | "clickOnElement" | "clickOnText" | "externalLink" | "formSubmit" | "elementAppears" | "scrolling" | "duration" | "event" | "revenue" | "script";
        /**
         * @description Value that a goal looks for: text, or an integer for `scrolling` and
         *     `duration`.
         */
        GoalValue: string | number;
        /**
         * @description Outcome of a health check; `unknown` when there is no data.
         * @enum {string}
         */
        GradeWord: "ok" | "warn" | "fail" | "unknown";
        /** @description A new group. */
        GroupBody: {
            /** @description Kind of group. It cannot be changed. */
            kind: components["schemas"]["GroupKind"];
            /**
             * @description Experiments of an exclusion group, required for that kind. Their percentages sum to at
             *     most 100.
             */
            members?: components["schemas"]["GroupMemberBody"][];
            /**
             * @description Display name.
             * @example Checkout
             */
            name: string;
            /**
             * Format: double
             * @description Percent of the visitors who are held out, required for a holdout. At most two
             *     decimals.
             * @example 5
             */
            percent?: number;
            /** @description Experiments that a holdout's visitors do not meet, required for a holdout. */
            scope?: components["schemas"]["HoldoutScope"];
        };
        /** @description A group was created or changed. */
        GroupChanged: {
            /**
             * Format: int64
             * @description Id of the group.
             */
            group_id: number;
            /** @description Always true. */
            success: boolean;
            /** @description Messages about visitors of live experiments whose assignment changes. */
            warnings: string[];
        };
        /** @description A group was deleted. */
        GroupDeleted: {
            /** @description Always true. */
            deleted: boolean;
            /**
             * Format: int64
             * @description Id of the deleted group.
             */
            group_id: number;
            /** @description Always true. */
            success: boolean;
            /** @description Messages about visitors of live experiments whose assignment changes. */
            warnings: string[];
        };
        /**
         * @description `exclusion`: its experiments share no visitor. `holdout`: its visitors do not enter experiments.
         * @enum {string}
         */
        GroupKind: "exclusion" | "holdout";
        /** @description A project's exclusion groups and holdouts. */
        GroupList: {
            /** @description Oldest first; at most 100. */
            exclusion_groups: components["schemas"]["ExclusionGroup"][];
            /** @description Always true. */
            success: boolean;
        };
        /** @description An experiment of an exclusion group. */
        GroupMemberBody: {
            /**
             * Format: double
             * @description Percent of all visitors that the experiment gets. At most two decimals.
             * @example 30
             */
            percent: number;
            /**
             * Format: int64
             * @description Id of the experiment.
             */
            test_id: number;
        };
        /** @description Changes to a group. */
        GroupPatch: {
            /** @description true allows moving visitors of live experiments. Default: false. */
            accept_moves?: boolean;
            /** @description Complete new list of an exclusion group's experiments. */
            members?: components["schemas"]["GroupMemberBody"][];
            /**
             * @description Display name.
             * @example Checkout
             */
            name?: string;
            /**
             * Format: double
             * @description Percent of the visitors who are held out. At most two decimals.
             * @example 5
             */
            percent?: number;
            /** @description Experiments that a holdout's visitors do not meet. */
            scope?: components["schemas"]["HoldoutScope"];
        };
        /** @description Health checks of the data. */
        Health: {
            /** @description Checks that the arms have similar visitors at entry. */
            balance: components["schemas"]["HealthCheck"];
            before_entry?: components["schemas"]["HealthCheck"] | null;
            /** @description Reports exposures dated before the first start, which are not counted. */
            before_start: components["schemas"]["HealthCheck"];
            /** @description Reports suspected bots, which are left out. */
            bots: components["schemas"]["HealthCheck"];
            /**
             * @description Checks that the changes of the arms match elements on pages. An arm that changes nothing looks like one without
             *     effect.
             */
            changes: components["schemas"]["HealthCheck"];
            concentration?: components["schemas"]["HealthCheck"] | null;
            /** @description Checks that visitors stayed in their arm. If it fails, every verdict is `do_not_trust`. */
            crossovers: components["schemas"]["HealthCheck"];
            currency?: components["schemas"]["HealthCheck"] | null;
            /** @description Reports changes of weights during the experiment. */
            epochs: components["schemas"]["HealthCheck"];
            /** @description Checks that the event log could be read up to the result. Events in damaged or missing blocks are not counted. */
            event_log: components["schemas"]["HealthCheck"];
            exclusions?: components["schemas"]["HealthCheck"] | null;
            /** @description Checks whether built-in metrics got worse. */
            guardrails: components["schemas"]["HealthCheck"];
            interaction?: components["schemas"]["HealthCheck"] | null;
            lost_events?: components["schemas"]["HealthCheck"] | null;
            /** @description Checks that there is enough data. */
            minimum_data: components["schemas"]["HealthCheck"];
            orders?: components["schemas"]["HealthCheck"] | null;
            /**
             * @description Checks whether other servers on the same database received events that are missing here. If it fails, every
             *     verdict is `do_not_trust`.
             */
            other_nodes: components["schemas"]["HealthCheck"];
            /**
             * @description Checks whether pages of a variant have errors, appear late or are slower than the control's: see `page_health`.
             *     It fails when harm is known. It does not affect verdicts.
             */
            page: components["schemas"]["HealthCheck"];
            prevented_submits?: components["schemas"]["HealthCheck"] | null;
            /** @description Checks that visitors are distributed according to the weights. If it fails, every verdict is `do_not_trust`. */
            sample_ratio: components["schemas"]["RatioCheck"];
            /**
             * @description Worst outcome of the checks, without those that are `unknown`. `unknown` when no check warns or fails, but
             *     `sample_ratio` or `crossovers` is not known.
             */
            status: string;
            unvouched?: components["schemas"]["HealthCheck"] | null;
        };
        /** @description One check. */
        HealthCheck: {
            /** @description Message for people. */
            message: string;
            /** @description `ok`, `warn`, `fail`, or `unknown` when there is no data. */
            status: string;
        };
        /** @description Time for which elements of an arm's pages were hidden until the arm was shown. */
        HiddenTime: {
            /**
             * Format: double
             * @description Mean in milliseconds; null without any.
             */
            mean: number | null;
            /**
             * Format: int64
             * @description Number of visitors with a page that reported it.
             */
            visitors: number;
        };
        /** @description A page of changes. */
        History: {
            /** @description Value to send as `cursor` for the next page; null on the last one. */
            next_cursor: string | null;
            /** @description Newest first. */
            revisions: components["schemas"]["RevisionView"][];
            /** @description Always true. */
            success: boolean;
        };
        /** @description Combined effect of all experiments of a holdout: held-out visitors compared with all others. */
        HoldoutResult: {
            /**
             * Format: double
             * @description Average order value.
             */
            aov?: number | null;
            /**
             * Format: int64
             * @description Confidence threshold in percent.
             */
            confidence_threshold_percent: number;
            /** @description ISO 4217 code; null when no order names a currency. */
            currency?: string | null;
            /**
             * Format: int64
             * @description Days from the start to now; days that have begun count as whole.
             */
            days_running: number;
            /**
             * Format: date
             * @description Last day of the result; today while it is running.
             */
            end_date: string | null;
            /** @description Key of the goal for the numbers at the top. */
            goal_key: string | null;
            /**
             * Format: int64
             * @description Identifies the holdout.
             */
            group_id: number;
            /** @description Health checks of the data. */
            health: components["schemas"]["Health"];
            /** @description Data that the numbers were computed from; `muriel verify` recomputes them. */
            manifest: {
                [key: string]: unknown;
            };
            /** @description The other metrics. */
            metrics: components["schemas"]["MetricResult"][];
            /**
             * @description Display name.
             * @example All of spring
             */
            name: string;
            primary_goal: components["schemas"]["GoalExcerpt"] | null;
            /**
             * Format: double
             * @description Revenue per visitor.
             */
            rpv?: number | null;
            /**
             * Format: date
             * @description First day of the result, in the requested time zone.
             */
            start_date: string | null;
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Visitors who converted.
             */
            total_conversions: number;
            /**
             * Format: int64
             * @description Number of orders.
             */
            total_orders?: number | null;
            /**
             * Format: double
             * @description Total value of the orders.
             */
            total_revenue?: number | null;
            /**
             * Format: int64
             * @description Number of visitors with any event.
             */
            total_visitors: number;
            /** @description `"0"` are the held-out visitors, `"1"` all others, whose lift is the effect of the experiments. */
            variants: components["schemas"]["VariantResult"][];
        };
        /** @description Experiments that a holdout's visitors do not meet. */
        HoldoutScope: components["schemas"]["WholeProject"] | components["schemas"]["HoldoutTests"];
        /** @description Experiments by their ids. */
        HoldoutTests: {
            /** @description Ids of the experiments. */
            tests: number[];
        };
        /** @description A hypothesis. */
        Hypothesis: {
            /**
             * @description True when archived, which takes it off the backlog. In lists only when
             *     archived hypotheses were requested.
             */
            archived?: boolean;
            /**
             * Format: int64
             * @description Confidence, from 1 to 5.
             */
            confidence: number | null;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /**
             * Format: int64
             * @description Difficulty, from 1 to 5.
             */
            difficulty: number | null;
            /**
             * Format: int64
             * @description Identifies the hypothesis.
             */
            hypothesis_id: number;
            /** @description URL of the supporting research. */
            hypothesis_url: string | null;
            /**
             * Format: int64
             * @description Importance, from 1 to 5.
             */
            importance: number | null;
            /** @description Ids of experiments that test it, lowest first. */
            linked_test_ids: number[];
            /** @description Observation of the team. */
            observation: string | null;
            /** @description Reason why the observation is a problem. */
            problem: string | null;
            /** @description Name in files and scripts; in details only. */
            slug?: string;
            /** @description The change to test. */
            solution: string | null;
            /**
             * Format: date-time
             * @description Time of the last change of the hypothesis or of the set of its
             *     experiments.
             */
            updated_at: string;
        };
        /** @description One hypothesis. */
        HypothesisAnswer: {
            /** @description The hypothesis. */
            hypothesis: components["schemas"]["Hypothesis"];
            /** @description Always true. */
            success: boolean;
        };
        /** @description A new hypothesis. At least one of the texts must not be blank. */
        HypothesisBody: {
            /** @description true creates it archived, which keeps it off the backlog. Default: false. */
            archived?: boolean;
            /**
             * Format: int64
             * @description Confidence, from 1 to 5.
             */
            confidence?: number | null;
            /**
             * Format: int64
             * @description Difficulty, from 1 to 5.
             */
            difficulty?: number | null;
            /** @description URL of the supporting research: http or https. */
            hypothesis_url?: string | null;
            /**
             * Format: int64
             * @description Importance, from 1 to 5.
             */
            importance?: number | null;
            /** @description Observation of the team. */
            observation?: string | null;
            /** @description Reason why the observation is a problem. */
            problem?: string | null;
            /** @description Name in files and scripts, unique in the project. Default: generated from the text. */
            slug?: string;
            /** @description The change to test. */
            solution?: string | null;
        };
        /** @description A hypothesis was changed. */
        HypothesisChanged: {
            /**
             * Format: int64
             * @description Id of the hypothesis.
             */
            hypothesis_id: number;
            /** @description Always true. */
            success: boolean;
        };
        /** @description A hypothesis was created. */
        HypothesisCreated: {
            /**
             * Format: int64
             * @description Id of the hypothesis.
             */
            hypothesis_id: number;
            /** @description Slug: the given one, or one generated from the text. */
            slug: string;
            /** @description Always true. */
            success: boolean;
        };
        /** @description The texts of a hypothesis; blank ones are left out. */
        HypothesisExcerpt: {
            /**
             * Format: int64
             * @description Identifies the hypothesis.
             */
            hypothesis_id: number;
            /** @description Observation of the team. */
            observation?: string | null;
            /** @description Reason why the observation is a problem. */
            problem?: string | null;
            /** @description The change to test. */
            solution?: string | null;
        };
        /** @description A page of a project's hypotheses. */
        HypothesisList: {
            /**
             * Format: int64
             * @description Number of hypotheses on this page.
             */
            count: number;
            /** @description True when there are more pages. */
            has_more: boolean;
            /** @description Newest update first, then highest id. */
            hypotheses: components["schemas"]["Hypothesis"][];
            /**
             * Format: int64
             * @description Page size that was applied.
             */
            limit: number;
            /**
             * Format: int64
             * @description Value to send as `offset` for the next page.
             */
            next_offset: number;
            /**
             * Format: int64
             * @description Offset that was applied.
             */
            offset: number;
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Number of hypotheses that match the filters.
             */
            total: number;
        };
        /** @description Changes to a hypothesis. */
        HypothesisPatch: {
            /** @description true archives it, which takes it off the backlog; false puts it back. */
            archived?: boolean;
            /**
             * Format: int64
             * @description Confidence, from 1 to 5.
             */
            confidence?: number | null;
            /**
             * Format: int64
             * @description Difficulty, from 1 to 5.
             */
            difficulty?: number | null;
            /** @description URL of the supporting research: http or https. */
            hypothesis_url?: string | null;
            /**
             * Format: int64
             * @description Importance, from 1 to 5.
             */
            importance?: number | null;
            /** @description Observation of the team. */
            observation?: string | null;
            /** @description Reason why the observation is a problem. */
            problem?: string | null;
            /** @description Name in files and scripts, unique in the project. */
            slug?: string;
            /** @description The change to test. */
            solution?: string | null;
        };
        /** @description The id and the slug of a hypothesis. */
        HypothesisSlug: {
            /**
             * Format: int64
             * @description Identifies the hypothesis.
             */
            hypothesis_id: number;
            /**
             * @description Name in files and scripts.
             * @example few-visitors-reach-checkout
             */
            slug: string;
        };
        /** @description A page of ids and slugs. */
        HypothesisSlugs: {
            /** @description Number of hypotheses on this page. */
            count: number;
            /** @description Lowest id first, including archived ones. */
            hypotheses: components["schemas"]["HypothesisSlug"][];
            /**
             * Format: int64
             * @description Value to send as `after` for the next page; null when there is none.
             */
            next_after: number | null;
            /** @description Always true. */
            success: boolean;
        };
        /** @description A page of the caller's inbox. */
        Inbox: {
            /** @description Newest first. */
            entries: components["schemas"]["InboxEntry"][];
            /** @description Value to send as `cursor` for the next page; null on the last one. */
            next_cursor: string | null;
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Number of unread entries; 100 stands for 100 or more.
             */
            unread: number;
        };
        /** @description Number of unread entries in the caller's inbox. */
        InboxCount: {
            /**
             * Format: int64
             * @description Id of the newest unread entry; null if all are read.
             */
            newest_unread: number | null;
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Number of unread entries; 100 stands for 100 or more.
             */
            unread: number;
        };
        /** @description A notification. */
        InboxEntry: {
            /** @description Actor of the event. */
            actor: components["schemas"]["ActorView"];
            /**
             * Format: date-time
             * @description Time of the event.
             */
            at: string;
            /**
             * Format: int64
             * @description Id of the comment; null if it is about something else.
             */
            comment_id: number | null;
            /** @description True when the experiment has been deleted since. */
            deleted: boolean;
            /**
             * Format: int64
             * @description Identifies the entry.
             */
            entry_id: number;
            /** @description Event: one of webhooks, or one that only people receive. */
            event: components["schemas"]["InboxEvent"];
            /**
             * @description Beginning of the comment, of a proposal's note or of a decision's reason; null without one.
             * @example null
             */
            excerpt: string | null;
            /**
             * Format: int64
             * @description Id of the hypothesis; null if it is about an experiment.
             */
            hypothesis_id: number | null;
            /**
             * @description Name of the experiment, or text of the hypothesis, at that time.
             * @example Checkout with two fields
             */
            name: string;
            /**
             * @description Key of the project.
             * @example prj_7Hq2ZkVt9XcRw4LmPb1NsY
             */
            project_key: string;
            /**
             * @description Name of the project.
             * @example Shop
             */
            project_name: string;
            /**
             * Format: int64
             * @description Id of the proposal; null if it is about something else.
             */
            proposal_id: number | null;
            /** @description True when it was read. */
            read: boolean;
            /**
             * @description Description of the event, worded as in webhooks and results.
             * @example the experiment was started
             */
            sentence: string;
            /**
             * Format: int64
             * @description Id of the experiment; null if it is about a hypothesis.
             */
            test_id: number | null;
        };
        /** @description Mark of an inbox entry. */
        InboxEntryBody: {
            /** @description true marks the entry as read, false as unread. */
            read: boolean;
        };
        /** @description An entry was marked. */
        InboxEntryMarked: {
            /**
             * Format: int64
             * @description Id of the entry.
             */
            entry_id: number;
            /** @description True when it is marked as read. */
            read: boolean;
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Number of unread entries; 100 stands for 100 or more.
             */
            unread: number;
        };
        /**
         * @description Event in an inbox: an event of webhooks, or one that concerns only its reader.
         * @enum {string}
         */
        InboxEvent: "experiment.started" | "experiment.stopped" | "experiment.concluded" | "experiment.reopened" | "experiment.changed" | "experiment.start_failed" | "experiment.act_held_back" | "winner.served" | "winner.stopped" | "health.failed" | "health.recovered" | "verdict.reached" | "comment.added" | "comment.mentioned" | "proposal.opened" | "proposal.approved" | "proposal.rejected";
        /** @description Entries were marked as read. */
        InboxMarked: {
            /**
             * Format: int64
             * @description Number of entries that were marked.
             */
            marked: number;
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Number of unread entries; 100 stands for 100 or more.
             */
            unread: number;
        };
        /** @description Range of inbox entries to mark as read. */
        InboxReadBody: {
            /**
             * Format: int64
             * @description Id of the newest entry to mark; later entries stay unread. Default: all entries are marked.
             */
            until?: number;
        };
        /** @description A goal by its name, type and value. */
        InlineGoal: {
            /** @description Display name. */
            goal_name: string;
            /** @description Kind of event that counts as a conversion. */
            goal_type: components["schemas"]["GoalType"];
            /** @description Value that the type looks for, such as a selector. */
            goal_value: components["schemas"]["GoalValue"];
        };
        /** @description Installation of a project's script on its pages. */
        Install: {
            /** @description Same as `snippet`, for pages that must not wait for the script. */
            async_snippet: string;
            /**
             * @description True when the server knows visitors' countries from their addresses. Otherwise no visitor of a page matches a
             *     rule that names countries, regions or cities.
             */
            knows_places: boolean;
            /** @description True when it knows their regions and cities too. */
            knows_regions: boolean;
            /**
             * Format: date-time
             * @description Time at which the last event of a page arrived; null if none has in the last seven days.
             */
            last_event: string | null;
            /**
             * Format: date-time
             * @description Time at which the script was last fetched; null if never.
             */
            last_script_fetch: string | null;
            /** @description Pages that sent events in the last seven days, most recent first; at most 50. */
            pages: components["schemas"]["InstalledPage"][];
            /** @description Key of the project. */
            project_key: string;
            /** @description Lines for the head of every page, with the server's address as in this request. */
            snippet: string;
            /** @description Always true. */
            success: boolean;
        };
        /** @description A page with the script on it. */
        InstalledPage: {
            /**
             * Format: date-time
             * @description Time at which its last event arrived.
             */
            last_seen: string;
            /** @description URL without query and fragment. */
            url: string;
        };
        /** @description An integration, stored as sent. */
        Integration: string | {
            [key: string]: unknown;
        };
        /** @description State of an integration. */
        IntegrationState: {
            /**
             * Format: date-time
             * @description Time at which a page last reported that it sent the integration an exposure; for `webhook`, the time at which a
             *     message was last queued. It lags by a few seconds.
             */
            last_success_at: string | null;
            /**
             * @description Name of the integration.
             * @example ga4
             */
            name: string;
        };
        /** @description An invitation link. */
        Invitation: {
            /**
             * Format: date-time
             * @description Time of the invitation.
             */
            created_at: string;
            /**
             * @description E-mail address of the invited person.
             * @example grace@example.com
             */
            email: string;
            /**
             * Format: date-time
             * @description Time at which the link expires.
             */
            expires_at: string;
            /**
             * Format: int64
             * @description Identifies the invitation.
             */
            invitation_id: number;
            /**
             * @description Name of the person who sent the invitation.
             * @example Ada Lovelace
             */
            invited_by: string;
            /** @description Projects to which the person will be limited; null for all projects of the company. */
            projects: components["schemas"]["ProjectRole"][] | null;
            /** @description Role that the person will have. */
            role: components["schemas"]["RoleName"];
        };
        /** @description Purpose of a link. */
        InvitationAnswer: {
            /**
             * @description Name of the company; null if the first owner enters it.
             * @example Acme
             */
            company: string | null;
            /**
             * @description E-mail address of the recipient; null for the first owner, who enters it.
             * @example grace@example.com
             */
            email: string | null;
            /**
             * Format: date-time
             * @description Time at which the link expires.
             */
            expires_at: string;
            /** @description `first_owner` creates the first owner of the server, `invitation` creates a person, `reset` sets a new password. */
            purpose: components["schemas"]["LinkPurpose"];
            /** @description Role that the person has or will have. */
            role: components["schemas"]["RoleName"];
            /** @description Always true. */
            success: boolean;
            /** @description Required fields. */
            takes: components["schemas"]["LinkField"][];
        };
        /** @description Invitation of a person. */
        InvitationBody: {
            /**
             * @description E-mail address, not used by any account yet. An earlier invitation of the same address is withdrawn.
             * @example grace@example.com
             */
            email: string;
            /** @description Projects to which the person is limited. Default: all projects of the company. */
            projects?: components["schemas"]["ProjectRoleBody"][];
            /** @description Role, not above the caller's own. */
            role: components["schemas"]["RoleName"];
        };
        /** @description An invitation was created. */
        InvitationCreated: {
            /**
             * Format: date-time
             * @description Time at which it expires.
             */
            expires_at: string;
            /**
             * Format: int64
             * @description Identifies the invitation.
             */
            invitation_id: number;
            /**
             * @description Link to give to the person. It is shown only this once, and works once.
             * @example https://muriel.example.com/invitation#Zx81…
             */
            link: string;
            /** @description Always true. */
            success: boolean;
        };
        /** @description An invitation was withdrawn. */
        InvitationWithdrawn: {
            /** @description Always true. */
            deleted: boolean;
            /**
             * Format: int64
             * @description Id of the withdrawn invitation.
             */
            invitation_id: number;
            /** @description Always true. */
            success: boolean;
        };
        /** @description A new API key. */
        KeyBody: {
            /**
             * Format: int64
             * @description Days until it expires; null for a key that does not expire. Default: 365.
             * @example 365
             */
            expires_in_days?: number | null;
            /**
             * @description Purpose of the key.
             * @example nightly export
             */
            name: string;
            /** @description Keys of the projects to which it is limited; null or left out for all projects of the company. */
            projects?: string[] | null;
            /** @description Permissions. */
            scopes: components["schemas"]["ScopeName"][];
        };
        /** @description An API key was created. */
        KeyCreated: {
            /**
             * @description Complete key. It is shown only this once.
             * @example mrl_Q2f8kX3m…
             */
            api_key: string;
            /**
             * Format: date-time
             * @description Time at which it expires; null if it does not expire.
             */
            expires_at: string | null;
            /**
             * @description First 8 characters after `mrl_`, which identify the key.
             * @example Q2f8kX3m
             */
            prefix: string;
            /** @description Always true. */
            success: boolean;
        };
        /** @description The company's API keys. */
        KeyList: {
            /** @description Number of keys. */
            count: number;
            /** @description Oldest first, including revoked and expired ones. */
            keys: components["schemas"]["ApiKeyItem"][];
            /** @description Always true. */
            success: boolean;
        };
        /** @description An API key was revoked. */
        KeyRevoked: {
            /**
             * @description First 8 characters of the key after `mrl_`.
             * @example Q2f8kX3m
             */
            prefix: string;
            /** @description Always true. */
            revoked: boolean;
            /** @description Always true. */
            success: boolean;
        };
        /** @description A change of an experiment. */
        LastChange: {
            /**
             * @description Action.
             * @example update
             */
            action: string;
            /** @description Actor of the change. */
            actor: components["schemas"]["ActorView"];
            /**
             * Format: date-time
             * @description Time of the change.
             */
            at: string;
        };
        /** @description A past action of the clock. */
        LastClockAct: {
            /** @description Action. */
            act: components["schemas"]["ClockAct"];
            /**
             * Format: date-time
             * @description Time of the action.
             */
            at: string;
            /**
             * @description The rule and its numbers as a message.
             * @example 1000 visitors had entered, and the limit is 1000
             */
            detail: string;
            /**
             * @description Reason why the action was not taken. The experiment was left unchanged. A start is retried when the experiment
             *     changes; a rule about the result acts once the reason is gone.
             * @example its end date had passed too before it could be started
             */
            failed?: string;
            /** @description The numbers of that message, by name. */
            numbers: {
                [key: string]: unknown;
            };
            /** @description Rule that caused it. */
            rule: components["schemas"]["ClockRule"];
        };
        /**
         * @description Field that a person who accepts a link must send.
         * @enum {string}
         */
        LinkField: "email" | "name" | "password" | "company";
        /**
         * @description Purpose of a link.
         * @enum {string}
         */
        LinkPurpose: "first_owner" | "invitation" | "reset";
        /** @description Assignment of a visitor in an experiment. */
        LiveDecision: {
            /** @description Reason why the script does nothing on this page, whatever was decided; null if the experiment runs there. */
            elsewhere: string | null;
            /** @description Key of the experiment. */
            experiment_key: string;
            /** @description True when the visitor takes part and is counted. */
            in_experiment: boolean;
            /** @description Reason for the assignment. */
            reason: components["schemas"]["AssignmentReason"];
            /** @description All checks, in the order in which they are made. */
            steps: components["schemas"]["ExplanationStep"][];
            /**
             * Format: int64
             * @description Identifies the experiment.
             */
            test_id: number;
            /** @description `Control` or `Variant N`; null if the visitor is not included. */
            variant: string | null;
        };
        /** @description Data of one message of the stream. Its name, in the line `event:`, is `hello`, `event`, `decisions` or `bye`. */
        LiveMessage: {
            /**
             * Format: date-time
             * @description Time of sending.
             */
            at: string;
            /** @description `decisions`: the visitor's assignment in each live experiment on the page viewed, with the reason. */
            decisions?: components["schemas"]["LiveDecision"][];
            /** @description `event`: the event as stored. */
            event?: {
                [key: string]: unknown;
            };
            /**
             * Format: int64
             * @description Number of messages dropped since the last one because the reader was too slow.
             */
            missed: number;
            /** @description `hello` and `bye`: information about the stream. */
            note?: string;
        };
        /** @description Assignments, one list per context. */
        ManyEvaluated: {
            assignments: components["schemas"]["Assignment"][][];
            success: boolean;
        };
        /**
         * @description Condition that must hold, or must not.
         * @enum {string}
         */
        Match: "equal" | "notEqual";
        /** @description A person whom a comment mentions. */
        Mention: {
            /**
             * @description Name of the person when the comment was written.
             * @example Ada Lovelace
             */
            name: string;
            /**
             * Format: int64
             * @description Identifies the person.
             */
            person_id: number;
        };
        /** @description JSON merge patch (RFC 7396) of the fields of ExperimentPatch: objects are merged, and null resets a key to its default. */
        MergePatch: {
            [key: string]: unknown;
        };
        /** @description A further metric. */
        MetricResult: {
            /** @description True when it was added, changed or chosen after the plan was locked: useful for ideas, but not evidence. */
            exploratory?: boolean;
            /** @description Reason, as a sentence. */
            exploratory_reason?: string | null;
            /** @description Key of a goal, or name of a built-in metric or an event. */
            key: string;
            /** @description `goal`, `builtin` or `event`. */
            kind: string;
            /** @description True when less is better. */
            lower_is_better: boolean;
            /** @description Display name. */
            name: string;
            /** @description `primary`, `secondary` or `guardrail`. */
            role: string;
            /** @description The arms, the control first. */
            variants: components["schemas"]["MetricVariant"][];
        };
        /** @description An arm by a further metric. */
        MetricVariant: {
            analysis?: components["schemas"]["AnalysisResult"] | null;
            /**
             * Format: double
             * @description Average order value.
             */
            aov?: number | null;
            /**
             * Format: double
             * @description Conversion rate, in percent; null without visitors, and for a built-in metric when no page view was sent.
             */
            conversion_rate: number | null;
            /**
             * Format: int64
             * @description Number of those who converted.
             */
            conversions: number;
            /** @description ISO 4217 code; null when no order names a currency. */
            currency?: string | null;
            /**
             * @description True when a guardrail is known to have become worse; null for other
             *     metrics.
             */
            harmed?: boolean | null;
            /**
             * Format: double
             * @description Improvement over the control in the shown numbers, in percent; absent on the control.
             */
            improvement?: number | null;
            /**
             * Format: int64
             * @description Visitors whose conversion window is still open: shown, but not compared yet.
             */
            open_visitors?: number | null;
            /**
             * Format: double
             * @description Revenue per visitor.
             */
            rpv?: number | null;
            /**
             * Format: int64
             * @description Number of orders.
             */
            total_orders?: number | null;
            /**
             * Format: double
             * @description Total value of the orders.
             */
            total_revenue?: number | null;
            /** @description `"0"` is the control. */
            variant_id: string;
            /**
             * Format: int64
             * @description Visitors who entered.
             */
            visitors: number;
        };
        /** @description A date-time with an offset, or a date (midnight in UTC); null for none. */
        Moment: string | null;
        /** @description A future action of the clock. */
        NextClockAct: {
            /** @description Action. */
            act: components["schemas"]["ClockAct"];
            /**
             * Format: date-time
             * @description Time of the action.
             */
            at: string;
            /** @description Rule that causes it. */
            rule: components["schemas"]["ClockRule"];
        };
        /**
         * @description Reason why a concluded experiment has no expected lift.
         * @enum {string}
         */
        NoEstimate: "invalid" | "personalization" | "no_result" | "not_trusted" | "too_few_conversions";
        /**
         * @description Source of a number: the request, the project's last two weeks, or a default.
         * @enum {string}
         */
        NumberSource: "flag" | "project" | "default";
        /**
         * @description Operator of a comparison. Some have two spellings: `gt` and `>` mean the same.
         * @enum {string}
         */
        Operator: "ex" | "nx" | "bt" | "bf" | "==" | "!=" | "**" | "!*" | "gt" | "gte" | "lt" | "lte" | ">" | ">=" | "<" | "<=" | "days_gt" | "days_gte" | "days_lt" | "days_lte";
        /** @description A page of the experiments that the caller sees. */
        Overview: {
            /** @description Sorted as `sort` says, then by id. */
            items: components["schemas"]["OverviewItem"][];
            /** @description Value to send as `cursor` for the next page; null on the last one. */
            next_cursor: string | null;
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Number of experiments that match the filters, on all pages.
             */
            total: number;
        };
        /** @description An experiment in the overview. Verdict, health and visitors are as of `as_of`; they are updated about once a minute. */
        OverviewItem: {
            /** @description True when archived. */
            archived: boolean;
            /**
             * Format: date-time
             * @description Time of verdict, health and visitors; null if there are none.
             */
            as_of: string | null;
            /**
             * Format: date-time
             * @description Time of creation: ISO 8601, UTC, milliseconds.
             */
            created_at: string;
            /**
             * Format: int64
             * @description Days from the first start to the end, or to now; null before the start.
             */
            days: number | null;
            /**
             * Format: int64
             * @description Days until the planned visitors have entered, at the rate so far, or until the end date if that is earlier; null
             *     if neither is known.
             */
            days_left: number | null;
            /** @description Permanent key for servers and files. */
            experiment_key: string;
            /**
             * @description Worst outcome of the health checks, except for the check of the minimum data, which every young experiment
             *     fails; `unknown` when there is no data.
             */
            health: components["schemas"]["GradeWord"];
            hypothesis?: components["schemas"]["HypothesisExcerpt"] | null;
            /**
             * Format: int64
             * @description Id of the hypothesis that it tests.
             */
            hypothesis_id: number | null;
            /** @description 1 when concluded. */
            is_completed: components["schemas"]["Flag"];
            /** @description 1 while a winner is served. */
            is_deploy: components["schemas"]["Flag"];
            /** @description The last change. */
            last_change: components["schemas"]["LastChange"];
            outcome: components["schemas"]["ConclusionOutcome"] | null;
            /** @description Creator of the experiment. */
            owner: components["schemas"]["ActorView"];
            /** @description Key of the project. */
            project_key: string;
            /**
             * @description Recommended action. Names the time of the result if the result may be outdated.
             * @example Ship Variant 1: it beats the control by 4.1 %, at least 1.2 %.
             */
            sentence: string;
            /**
             * @description Variant that is served at 100 %; null while its rollout is lower and after serving stopped; absent if none was
             *     ever served.
             */
            serving_variant_id?: string | null;
            /** @description 9 draft, 1 live, 0 inactive. */
            status: components["schemas"]["StatusCode"];
            /** @description Labels. */
            tags: string[];
            /**
             * Format: int64
             * @description Identifies the experiment.
             */
            test_id: number;
            /** @description Display name. */
            test_name: string;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            updated_at: string;
            /** @description URL of the tested page. */
            url: string;
            verdict: components["schemas"]["VerdictWord"] | null;
            /**
             * Format: int64
             * @description Number of visitors in all variants; null if it is not known.
             */
            visitors: number | null;
        };
        /** @description Errors of an arm with the same message. */
        PageError: {
            /**
             * @description Browser of most affected visitors; null if it is not known.
             * @example safari
             */
            browser: string | null;
            /**
             * Format: date-time
             * @description Time of its first occurrence.
             */
            first_seen: string;
            /**
             * Format: date-time
             * @description Time of its last occurrence.
             */
            last_seen: string;
            /**
             * @description Message as sent by the page; at most 200 characters.
             * @example TypeError: cart is null
             */
            message: string;
            /**
             * Format: double
             * @description Percent of all visitors of the arm.
             */
            percent: number;
            /**
             * @description Page, without query and fragment, of most affected visitors; null if it is not known.
             * @example https://shop.example/cart
             */
            url: string | null;
            /**
             * Format: int64
             * @description Number of affected visitors.
             */
            visitors: number;
        };
        /**
         * @description Health of an arm's pages. Each visitor counts once: as one with an error or a late arm if any page reported it, and
         *     with the first page that reported a measurement. All comparisons with the control together raise a false alarm in at
         *     most 5 % of experiments, however often they are checked.
         */
        PageHealth: {
            /** @description Match counts of its first 60 changes, for those that pages reported. */
            changes: components["schemas"]["ChangeMatched"][];
            /** @description Visitors for whom the arm's code failed. Pages report every error. */
            errors: components["schemas"]["PageShare"];
            /** @description Time for which elements were hidden, in milliseconds. */
            hidden_ms: components["schemas"]["HiddenTime"];
            /** @description Interaction to next paint, in milliseconds, capped at 2,000. */
            inp_ms: components["schemas"]["PageMean"];
            /** @description Visitors for whom the arm was applied too late on a page, which then showed the original. */
            late: components["schemas"]["PageShare"];
            /** @description Cumulative layout shift, capped at 1. */
            layout_shift: components["schemas"]["PageMean"];
            /** @description Largest contentful paint, in milliseconds, capped at 10,000. */
            lcp_ms: components["schemas"]["PageMean"];
            /**
             * @description Finding, with the next step; empty if there is none.
             * @example Pages of Variant 1 show their largest content 305 ms later than those of the control (168 to 442). Look at what its changes load, hide or move.
             */
            message: string;
            /**
             * @description `Control`, `Variant 1`…
             * @example Variant 1
             */
            name: string;
            /**
             * @description Errors by affected visitors, most first; at most 5. Equal errors are merged, with the page and the browser of
             *     most affected visitors. Pages report the message of the first error of each page view. Empty in shared results.
             */
            top_errors: components["schemas"]["PageError"][];
            /**
             * @description `"0"` is the control.
             * @example 1
             */
            variant_id: string;
            /**
             * Format: int64
             * @description Visitors who entered.
             */
            visitors: number;
        };
        /** @description Mean of a measurement over an arm's visitors, one page each. */
        PageMean: {
            /**
             * Format: double
             * @description Difference from the control; null for the control and if it cannot be compared.
             */
            difference: number | null;
            /** @description Interval of the true difference, valid whenever it is read. */
            difference_interval: number[] | null;
            /**
             * Format: double
             * @description Mean of the measurements; null without any.
             */
            mean: number | null;
            /**
             * @description `harmed`: known to be worse by more than a margin (50 ms of `lcp_ms`, 0.02 of `layout_shift`, 20 ms of
             *     `inp_ms`). `worse`: known to be worse. `better`, `ok`: not known to be worse. `unknown`: the control, and arms
             *     with too little data.
             */
            status: components["schemas"]["PageStatusWord"];
            /**
             * Format: int64
             * @description Number of visitors with a measured page.
             */
            visitors: number;
        };
        /** @description A share of an arm's visitors. */
        PageShare: {
            /**
             * Format: double
             * @description Difference from the control, in percentage points; null for the control and if it cannot be compared.
             */
            difference: number | null;
            /**
             * @description Interval of the true difference, valid whenever it is read; null for the control, and if there are too few
             *     visitors.
             */
            difference_interval: number[] | null;
            /**
             * Format: double
             * @description Percent of all visitors of the arm; null without visitors.
             */
            percent: number | null;
            /**
             * @description `harmed`: known to be worse by more than a margin (0.5 points for errors, 5 for late arms). `worse`: known to be
             *     worse. `better`, `ok`: not known to be worse. `unknown`: the control, and arms with too little data.
             */
            status: components["schemas"]["PageStatusWord"];
            /**
             * Format: int64
             * @description Number of visitors.
             */
            visitors: number;
        };
        /**
         * @description Comparison of a variant's pages with the control's.
         * @enum {string}
         */
        PageStatusWord: "unknown" | "ok" | "better" | "worse" | "harmed";
        /**
         * @description A part of the script.
         * @enum {string}
         */
        PartName: "rules" | "source" | "changes" | "split" | "goals" | "orders" | "tools" | "vitals";
        /**
         * @description An arm in one segment of the visitors. Use it for exploration, not for
         *     decisions: many segments are compared without correction.
         */
        PartResult: {
            analysis?: components["schemas"]["AnalysisResult"] | null;
            /**
             * Format: double
             * @description Average order value.
             */
            aov?: number | null;
            /**
             * Format: double
             * @description Conversion rate, in percent; null without visitors, and for a built-in metric when no page view was sent.
             */
            conversion_rate: number | null;
            /**
             * Format: int64
             * @description Number of those who converted.
             */
            conversions: number;
            /** @description ISO 4217 code; null when no order names a currency. */
            currency?: string | null;
            /**
             * Format: double
             * @description Improvement over the control in the shown numbers, in percent; absent on the control.
             */
            improvement?: number | null;
            /**
             * Format: double
             * @description Lift, as in `analysis`; null on the control.
             */
            lift: number | null;
            /** @description Interval of the lift, as in `analysis`. */
            lift_interval: number[] | null;
            /**
             * Format: int64
             * @description Visitors whose conversion window is still open: shown, but not compared yet.
             */
            open_visitors?: number | null;
            /**
             * Format: double
             * @description p-value, as in `analysis`; not corrected for multiple comparisons.
             */
            p_value: number | null;
            /**
             * Format: double
             * @description Revenue per visitor.
             */
            rpv?: number | null;
            /**
             * Format: int64
             * @description Number of orders.
             */
            total_orders?: number | null;
            /**
             * Format: double
             * @description Total value of the orders.
             */
            total_revenue?: number | null;
            /** @description `"0"` is the control. */
            variant_id: string;
            /**
             * Format: int64
             * @description Visitors who entered.
             */
            visitors: number;
        };
        /** @description A passkey that the browser has created. */
        PasskeyBody: {
            /** @description Credential, as returned by its `toJSON`. */
            credential: {
                [key: string]: unknown;
            };
            /**
             * @description Name that the person gives it.
             * @example Laptop
             */
            name: string;
        };
        /** @description A passkey was enrolled. */
        PasskeyEnrolled: {
            /**
             * Format: int64
             * @description Identifies the passkey.
             */
            passkey_id: number;
            /** @description Always true. */
            success: boolean;
        };
        /** @description A key of a device. */
        PasskeyItem: {
            /**
             * Format: date-time
             * @description Time of enrolment.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time of the last use; null if never used.
             */
            last_used_at: string | null;
            /**
             * @description Name that the person gave it.
             * @example Laptop
             */
            name: string;
            /**
             * Format: int64
             * @description Identifies the passkey.
             */
            passkey_id: number;
        };
        /** @description Passkeys of the caller. */
        PasskeyList: {
            /** @description Number of passkeys. */
            count: number;
            /** @description Oldest first; at most 20. */
            passkeys: components["schemas"]["PasskeyItem"][];
            /** @description Always true. */
            success: boolean;
        };
        /** @description Options for creating or using a passkey in a browser. */
        PasskeyOptions: {
            /** @description For `PublicKeyCredential.parseCreationOptionsFromJSON`, or `parseRequestOptionsFromJSON`. */
            options: {
                [key: string]: unknown;
            };
            /** @description Always true. */
            success: boolean;
        };
        /** @description A passkey was removed. */
        PasskeyRemoved: {
            /** @description Always true. */
            deleted: boolean;
            /**
             * Format: int64
             * @description Id of the removed passkey.
             */
            passkey_id: number;
            /** @description Always true. */
            success: boolean;
        };
        /** @description Credential of a sign-in with a passkey. */
        PasskeySignInBody: {
            /** @description Credential, as returned by its `toJSON`. */
            credential: {
                [key: string]: unknown;
            };
        };
        /** @description Current password, required again before a second factor changes. */
        PasswordAgainBody: {
            /**
             * @description Current password. Leave it out for people without one.
             * @example correct horse battery
             */
            password?: string;
        };
        /** @description A new password. */
        PasswordBody: {
            /**
             * @description Current password. Leave it out for people without a password, who use another sign-in.
             * @example an older password
             */
            current?: string;
            /**
             * @description New password.
             * @example correct horse battery
             */
            password: string;
        };
        /** @description The people of the company. */
        PeopleList: {
            /** @description Number of people. */
            count: number;
            /** @description Open invitations, neither accepted nor expired, oldest first. */
            invitations: components["schemas"]["Invitation"][];
            /** @description Oldest first. */
            people: components["schemas"]["Person"][];
            /** @description Always true. */
            success: boolean;
        };
        /** @description A person with an account. */
        Person: {
            /**
             * Format: date-time
             * @description Time at which the account was created.
             */
            created_at: string;
            /**
             * @description E-mail address for signing in.
             * @example ada@example.com
             */
            email: string;
            /** @description True when the person has a password. */
            has_password: boolean;
            /** @description True when signing in with the password needs an authenticator too. */
            has_totp: boolean;
            /**
             * Format: date-time
             * @description Time of the last activity, to the minute; null if never.
             */
            last_seen_at: string | null;
            /**
             * @description Name.
             * @example Ada Lovelace
             */
            name: string;
            /** @description Number of passkeys. */
            passkeys: number;
            /**
             * Format: int64
             * @description Identifies the person.
             */
            person_id: number;
            /** @description Projects to which the person is limited; null for all projects of the company. */
            projects: components["schemas"]["ProjectRole"][] | null;
            /** @description Role in the company, and in each project unless `projects` says otherwise. */
            role: components["schemas"]["RoleName"];
        };
        /** @description A person was changed. */
        PersonChanged: {
            /** @description The person. */
            person: components["schemas"]["Person"];
            /** @description Always true. */
            success: boolean;
        };
        /** @description Changes to a person. */
        PersonPatch: {
            /**
             * @description Name. Everybody may change their own.
             * @example Grace Hopper
             */
            name?: string;
            /** @description Projects to which the person is limited; null for all projects of the company. An owner cannot be limited. */
            projects?: components["schemas"]["ProjectRoleBody"][] | null;
            /** @description Role, not above the caller's own. The role of a person above the caller cannot be changed. */
            role?: components["schemas"]["RoleName"];
        };
        /** @description A person was removed. */
        PersonRemoved: {
            /** @description Always true. */
            deleted: boolean;
            /** @description Access that was revoked with the person. */
            ended: components["schemas"]["EndedWithPerson"];
            /**
             * Format: int64
             * @description Id of the removed person.
             */
            person_id: number;
            /** @description Always true. */
            success: boolean;
        };
        /** @description A region or a city that is included or excluded. */
        Place: {
            /** @description Name with its country or region, such as `California (US)` or `Berlin (Berlin)`. */
            name: string;
            /** @description Includes or excludes it. */
            rule: components["schemas"]["Match"];
        };
        /** @description Plan of an experiment. */
        Plan: {
            /**
             * Format: double
             * @description Smallest lift worth acting on, in percent.
             * @default 2
             */
            mde?: number;
            /**
             * Format: int64
             * @description Planned total of visitors.
             */
            visitors?: number | null;
        };
        /** @description Number of visitors that an experiment needs, and the time that takes. */
        PlanAnswer: {
            /**
             * Format: double
             * @description Percent of the control's visitors who convert.
             */
            baseline_rate: number | null;
            /** @description `query`, `experiment` (its own visitors) or `project` (its last two weeks). */
            baseline_rate_from: string | null;
            /**
             * Format: double
             * @description Visitors who enter per day.
             */
            daily_visitors: number | null;
            /** @description Source of `daily_visitors`, in the words of `baseline_rate_from`. */
            daily_visitors_from: string | null;
            /**
             * Format: int64
             * @description Whole days until they have entered.
             */
            days: number | null;
            /**
             * @description Smallest lift that an experiment planned for 2, 4 or 8 weeks detects by its end, with this traffic. Once the
             *     experiment has started, its plan is fixed, and the values are for that plan. Empty if too little is known.
             */
            findable: components["schemas"]["DayForecast"][];
            /**
             * Format: double
             * @description Smallest lift to detect, in percent.
             */
            mde: number;
            /** @description Smallest lift that is detected by the end of each day. */
            mde_by_day: components["schemas"]["DayForecast"][];
            /** @description Reason why `visitors_needed` or `days` is null, and what to do about it. */
            note: string | null;
            /**
             * Format: double
             * @description Statistical power: percent of such lifts that are detected.
             */
            power: number;
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Identifies the experiment.
             */
            test_id: number;
            /**
             * Format: int64
             * @description Number of visitors in all arms together; null if too little is known, or no number is enough.
             */
            visitors_needed: number | null;
        };
        /** @description Confirmation that the clock acts on the changed plan. */
        PlanConfirmation: {
            /**
             * @description Reason, stored in the history.
             * @example The shop moved to another checkout, whose goal is order_paid.
             */
            reason: string;
        };
        /** @description The plan was confirmed: the clock acts on the experiment as it is. */
        PlanConfirmed: {
            /**
             * Format: date-time
             * @description Time at which the plan was confirmed that the clock acts on; null if it acts on the locked one and there was
             *     nothing to confirm.
             */
            confirmed_at: string | null;
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Id of the experiment.
             */
            test_id: number;
        };
        /** @description A confirmation of a changed plan. */
        PlanConfirmedBefore: {
            /**
             * Format: date-time
             * @description Time of the confirmation. The clock acts on the experiment as it was then.
             */
            confirmed_at: string;
            /** @description Reason, in the person's words. */
            reason: string;
        };
        /** @description Rules by which the clock ends an experiment or serves a winner, as configured; 0 turns a rule off. */
        PlannedEnd: {
            /**
             * Format: int64
             * @description Ends when this many days have passed since the first start.
             */
            completion_after_period: number;
            /**
             * Format: int64
             * @description Ends when this many visitors have converted on the primary goal.
             */
            completion_conversion: number;
            /**
             * Format: int32
             * @description 1: ends when there is a verdict on the primary goal.
             */
            completion_stats_significant_flag: number;
            /**
             * Format: int64
             * @description Ends when this many visitors have entered.
             */
            completion_visitor: number;
            /**
             * Format: date-time
             * @description End date.
             */
            end_test_date: string | null;
            /**
             * Format: int32
             * @description 1: the clock serves a winner, and stops serving it when a guardrail gets worse.
             */
            is_autopilot: number;
        };
        /** @description Definition of a goal when the plan was locked. */
        PlannedGoal: {
            /**
             * Format: double
             * @description Maximum value that one visitor contributes.
             */
            cap: number | null;
            /** @description Currency in which orders are counted. */
            currency: string | null;
            /** @description Permanent key. */
            goal_key: string;
            /** @description Display name. */
            goal_name: string;
            /** @description Kind of event that counts as a conversion. */
            goal_type: string;
            /** @description Value that the type looks for: text, or a number. */
            goal_value: components["schemas"]["GoalValue"];
            /**
             * Format: double
             * @description Largest plausible value of an order.
             */
            max_order_value: number | null;
            /**
             * Format: int64
             * @description Events needed for a conversion.
             */
            min_count: number;
            /**
             * Format: int64
             * @description Days after entry within which an event counts; null for the whole test.
             */
            window_days: number | null;
        };
        /** @description Texts of a hypothesis when the plan was locked. */
        PlannedHypothesis: {
            /** @description Observation of the team. */
            observation: string | null;
            /** @description Reason why the observation is a problem. */
            problem: string | null;
            /** @description The change to test. */
            solution: string | null;
        };
        /** @description Content of a preview. */
        PreviewDocument: {
            experiments: {
                [key: string]: unknown;
            }[];
            /**
             * Format: int64
             * @description Format version: 2, or 1 if no experiment has a holdout.
             */
            format: number;
            /**
             * Format: int64
             * @description Version of hashing, 1.
             */
            hash: number;
            /** @description Parts of the script that the preview needs, files of `/js/parts/`. */
            parts: components["schemas"]["PartName"][];
            project_key: string;
        };
        /** @description A link that shows one variant to anybody who opens it, for seven days. */
        PreviewLink: {
            /** @description Name of the variant. */
            name: string;
            /** @description URL of the page with the parameters that select the variant. */
            preview_url: string;
            /**
             * Format: int32
             * @description Variant number; 0 is the control.
             */
            variant_id: number;
        };
        /** @description Links that show one variant each. */
        PreviewLinks: {
            /** @description URL of the experiment's page. */
            page_url: string;
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Id of the experiment.
             */
            test_id: number;
            /** @description Name of the experiment. */
            test_name: string;
            /** @description The control first. */
            variants: components["schemas"]["PreviewLink"][];
        };
        /** @description Result of a variant's preview on the page. */
        PreviewReport: {
            /** @description Selectors of the variant's visual changes that matched an element. */
            matched: string[];
            /** @description Selectors that have not matched an element. */
            missing: string[];
            /** @description `test-token` of the preview link. */
            token: string;
            /** @description URL of the page that showed it. */
            url: string;
            /**
             * Format: int64
             * @description Variant shown; 0 is the control.
             */
            variant_id: number;
        };
        /** @description The result of a preview was recorded. */
        PreviewReported: {
            /** @description Always true. */
            success: boolean;
        };
        /** @description All concluded experiments together. Lifts are in percent; intervals contain their value with a probability of 95 %. */
        Programme: {
            /** @description Results by the current ratings of hypotheses, with an entry for each rating and value that occurs. */
            calibration: components["schemas"]["ProgrammeCalibration"][];
            /** @description Sums of the lifts of the winners among them. */
            cumulative: components["schemas"]["ProgrammeCumulative"];
            /** @description Holdouts of the projects, at most 100. They measure the combined effect of all experiments. */
            holdouts: components["schemas"]["ProgrammeHoldout"][];
            /** @description Concluded experiments, the newest first. */
            items: components["schemas"]["ProgrammeItem"][];
            /** @description Number of concluded experiments, of all time, from which the expected lifts are estimated. */
            learned_from: number;
            /** @description Value to send as `cursor` for the next page; null on the last one. */
            next_cursor: string | null;
            /** @description Always true. */
            success: boolean;
            /** @description Number of experiments in `items` on all pages. */
            total: number;
            /** @description Numbers of the experiments concluded between `from` and `to`. */
            totals: components["schemas"]["ProgrammeTotals"];
            /** @description True when there are more than 10,000 concluded experiments. The oldest are then ignored. */
            truncated: boolean;
            /** @description Concluded experiments, of all time, that have no expected lift and are not used in the estimates. */
            without_estimate: components["schemas"]["ProgrammeWithoutEstimate"];
        };
        /** @description Results of the experiments whose hypothesis has this rating. */
        ProgrammeCalibration: {
            /** @description Interval of the average of their true lifts. */
            expected_interval: number[] | null;
            /**
             * Format: double
             * @description Average of their expected lifts, in percent.
             */
            expected_lift: number | null;
            /**
             * @description `confidence`, `importance` or `difficulty`.
             * @example confidence
             */
            rating: string;
            /** @description Number of concluded experiments that are not invalid. */
            tests: number;
            /**
             * Format: int64
             * @description Value of the rating, from 1 to 5.
             */
            value: number;
            /**
             * Format: double
             * @description Percent that won.
             */
            win_rate: number | null;
            /** @description Wilson interval of the win rate. */
            win_rate_interval: number[] | null;
            /** @description Number of experiments with an expected lift. */
            with_lift: number;
            /** @description Number of those that won. */
            won: number;
        };
        /** @description Sums of lifts. */
        ProgrammeCumulative: {
            /** @description Experiments whose variant is served as the winner now. */
            served: components["schemas"]["ProgrammeSum"];
            /** @description Experiments that won, or whose variant is served as the winner. */
            won_or_served: components["schemas"]["ProgrammeSum"];
        };
        /** @description A holdout. */
        ProgrammeHoldout: {
            /**
             * Format: int64
             * @description Id of the holdout.
             */
            group_id: number;
            /**
             * @description Name of the holdout.
             * @example Everything new of 2026
             */
            name: string;
            /**
             * Format: double
             * @description Percent of the visitors who are held out.
             */
            percent: number;
            /** @description Key of the project. */
            project_key: string;
            /**
             * @description Path of its result.
             * @example /v2/project/prj_Q2f8kX3mD7tYwR5vB9cN1s/exclusion-group/3/result
             */
            result: string;
        };
        /** @description A concluded experiment. */
        ProgrammeItem: {
            /**
             * Format: date-time
             * @description Time of the conclusion.
             */
            concluded_at: string;
            /** @description Name of the person who concluded it; null if an older release did not store it. */
            concluded_by: string | null;
            /**
             * Format: int64
             * @description Confidence of the team, 1 to 5, as rated in the hypothesis now; null if not rated.
             */
            confidence: number | null;
            /**
             * Format: int64
             * @description Difficulty, 1 to 5.
             */
            difficulty: number | null;
            /** @description Interval of the true lift. */
            expected_interval: number[] | null;
            /**
             * Format: double
             * @description Expected true lift, in percent; null with the reason in `no_estimate`.
             */
            expected_lift: number | null;
            /** @description Permanent key for servers and files. */
            experiment_key: string;
            /** @description Key of the primary goal; null if no result was stored. */
            goal_key: string | null;
            /** @description Name of the primary goal. */
            goal_name: string | null;
            /**
             * Format: int64
             * @description Id of the hypothesis that it tested.
             */
            hypothesis_id: number | null;
            /**
             * Format: int64
             * @description Importance, 1 to 5.
             */
            importance: number | null;
            /**
             * @description Lesson beyond this test.
             * @example Visitors on phones leave at the address.
             */
            learned: string;
            /**
             * Format: double
             * @description Lift in the result at the time of the conclusion, in percent.
             */
            lift: number | null;
            /** @description Interval of that lift, at the experiment's confidence. */
            lift_interval: number[] | null;
            no_estimate: components["schemas"]["NoEstimate"] | null;
            /**
             * @description Reasons in the team's words.
             * @example Fewer fields, more orders.
             */
            note: string;
            /** @description Outcome. */
            outcome: components["schemas"]["ConclusionOutcome"];
            /** @description Key of the project. */
            project_key: string;
            /** @description Variant that is served as the winner; null if no variant is served. */
            serving_variant_id: string | null;
            /**
             * Format: int64
             * @description Id of the experiment.
             */
            test_id: number;
            /** @description Name of the experiment. */
            test_name: string;
            /**
             * @description Variant whose lifts are shown: the served one, or else the one with the highest lift. Null if no result was
             *     stored, as in earlier versions.
             */
            variant_id: string | null;
            /**
             * Format: int64
             * @description Number of visitors in all variants.
             */
            visitors: number | null;
        };
        /** @description A month. */
        ProgrammeMonth: {
            /** @description Number of experiments that were concluded. */
            concluded: number;
            /**
             * @description Year and month.
             * @example 2026-03
             */
            month: string;
            /** @description Number of those that won. */
            won: number;
        };
        /** @description Numbers of experiments by outcome. */
        ProgrammeOutcomes: {
            inconclusive: number;
            invalid: number;
            lost: number;
            stopped_early: number;
            won: number;
        };
        /** @description Sum of the lifts of some experiments, each of its own primary goal. Invalid experiments are never included. */
        ProgrammeSum: {
            /**
             * Format: double
             * @description Expected sum of the true lifts, in percent; null if there is nothing to estimate from.
             * @example 12.9
             */
            expected: number | null;
            /**
             * @description Interval of the sum of the true lifts.
             * @example [
             *       6.1,
             *       20.4
             *     ]
             */
            expected_interval: number[] | null;
            /**
             * Format: double
             * @description Sum of the lifts that the results showed, in percent, for comparison. It is usually far too high, because
             *     winners are selected for high results.
             * @example 20.3
             */
            shown: number;
            /** @description Number of experiments in the sum. */
            tests: number;
            /** @description Number of experiments that are missing in the sum because they have no expected lift. */
            without_lift: number;
        };
        /** @description Numbers of concluded experiments. */
        ProgrammeTotals: {
            /** @description Number of concluded experiments. */
            concluded: number;
            /**
             * @description Number of experiments decided by another goal than that of the plan locked at their first start. They are not in
             *     the win rate.
             */
            exploratory: number;
            /** @description Months in UTC, from that of the first experiment, at most the last 120. */
            months: components["schemas"]["ProgrammeMonth"][];
            /** @description Numbers by outcome. */
            outcomes: components["schemas"]["ProgrammeOutcomes"];
            /**
             * Format: double
             * @description Average number of experiments concluded per month, from `from` or the first of them to `to` or now, over at
             *     least one month; null if there are none.
             * @example 4.2
             */
            per_month: number | null;
            /**
             * Format: double
             * @description Percent that won, of experiments that are not invalid and were decided by the goal of their plan; null if there
             *     are none.
             * @example 31.2
             */
            win_rate: number | null;
            /**
             * @description Wilson interval of the win rate.
             * @example [
             *       20.1,
             *       45
             *     ]
             */
            win_rate_interval: number[] | null;
        };
        /** @description Numbers of experiments without an expected lift, by the words of `no_estimate`. */
        ProgrammeWithoutEstimate: {
            invalid: number;
            no_result: number;
            not_trusted: number;
            personalization: number;
            too_few_conversions: number;
        };
        /** @description A new project. */
        ProjectBody: {
            /**
             * @description Display name, unique in the company.
             * @example Shop
             */
            name: string;
        };
        /** @description A project was created. */
        ProjectCreated: {
            /**
             * @description Key of the project.
             * @example prj_Q2f8kX3mD7tYwR5vB9cN1s
             */
            project_key: string;
            /** @description Always true. */
            success: boolean;
        };
        /** @description Projects of the company that the caller sees. */
        ProjectList: {
            /** @description Number of projects. */
            count: number;
            /** @description Oldest first. */
            projects: components["schemas"]["SessionProject"][];
            /** @description Always true. */
            success: boolean;
        };
        /** @description People who see a project. */
        ProjectPeople: {
            /** @description True when more people match than are listed. */
            has_more: boolean;
            /** @description People with a name in which a word begins with the text come first, then by name. */
            people: components["schemas"]["ProjectPerson"][];
            /** @description Always true. */
            success: boolean;
        };
        /** @description A person who sees a project. */
        ProjectPerson: {
            /**
             * @description Name; several people can have the same.
             * @example Ada Lovelace
             */
            name: string;
            /**
             * Format: int64
             * @description Identifies the person.
             */
            person_id: number;
            /** @description Role in the project. */
            role: components["schemas"]["RoleName"];
        };
        /** @description Role in a project. */
        ProjectRole: {
            /**
             * @description Key of the project.
             * @example prj_Q2f8kX3mD7tYwR5vB9cN1s
             */
            project_key: string;
            /** @description Role in this project. */
            role: components["schemas"]["RoleName"];
        };
        /** @description A project to which a person is limited. */
        ProjectRoleBody: {
            /**
             * @description Key of the project.
             * @example prj_Q2f8kX3mD7tYwR5vB9cN1s
             */
            project_key: string;
            /** @description Role in the project. Default: the `role` next to `projects`. */
            role?: components["schemas"]["RoleName"];
        };
        /** @description A project's name and settings. */
        ProjectSettings: {
            /** @description True when a second person must approve changes of code. */
            approve_code: boolean;
            /** @description True when a second person must approve changes of live experiments. */
            approve_live: boolean;
            /**
             * @description URL at which pages reach the server, such as `https://muriel.example` or `/x`; empty for the server that
             *     delivered the script.
             * @example https://muriel.example.com
             */
            base: string;
            /** @description True when automated browsers and crawlers take part in experiments. */
            bots: boolean;
            /** @description Behaviour before a visitor has answered the consent question. */
            consent: components["schemas"]["ConsentMode"];
            /** @description True when editors may change code that runs on pages. */
            editors_have_code: boolean;
            /** @description True when Global Privacy Control counts as a denial of consent. */
            gpc: boolean;
            /**
             * Format: int32
             * @description Percentage of page views for which health is reported.
             */
            health: number;
            /**
             * @description Names of the query parameters that events keep of addresses; `utm_*` stands for all that begin with `utm_`,
             *     and `*` for all. Those that goals and rules name are kept in any case.
             * @example [
             *       "utm_*",
             *       "ref"
             *     ]
             */
            keep_query: string[];
            /**
             * @description Display name.
             * @example Shop
             */
            name: string;
            /** @description Orders and refunds that results count, by who sent them. */
            orders: components["schemas"]["TrustPolicy"];
            /**
             * @description Origins of pages on which visitors enter experiments, such as `https://shop.example`; exposures on other
             *     pages do not count. Empty: all pages.
             * @example [
             *       "https://shop.example"
             *     ]
             */
            page_origins: string[];
            /** @description True when experiments that are known to harm their pages are ended automatically: see `page_health` of a result. */
            stop_on_page_harm: boolean;
            /** @description Visitors that results count, by who sent their exposures: see `health.unvouched` of a result. */
            visitors: components["schemas"]["TrustPolicy"];
        };
        /** @description A project's settings. */
        ProjectSettingsAnswer: {
            /**
             * @description Key of the project.
             * @example prj_Q2f8kX3mD7tYwR5vB9cN1s
             */
            project_key: string;
            /** @description All settings. */
            settings: components["schemas"]["ProjectSettings"];
            /** @description Always true. */
            success: boolean;
        };
        /** @description Changes to a project's settings. */
        ProjectSettingsPatch: {
            /** @description True when a second person must approve changes of code. */
            approve_code?: boolean;
            /** @description True when a second person must approve changes of live experiments. */
            approve_live?: boolean;
            /**
             * @description URL at which pages reach the server, such as `https://muriel.example` or `/x`; empty for the server that
             *     delivered the script.
             * @example https://muriel.example.com
             */
            base?: string;
            /** @description True when automated browsers and crawlers take part in experiments. */
            bots?: boolean;
            /** @description Behaviour before a visitor has answered the consent question. */
            consent?: components["schemas"]["ConsentMode"];
            /** @description True when editors may change code that runs on pages. */
            editors_have_code?: boolean;
            /** @description True when Global Privacy Control counts as a denial of consent. */
            gpc?: boolean;
            /**
             * Format: int64
             * @description Percentage of page views for which health is reported.
             */
            health?: number;
            /**
             * @description Names of the query parameters that events keep of addresses; `utm_*` stands for all that begin with `utm_`,
             *     and `*` for all. Those that goals and rules name are kept in any case.
             * @example [
             *       "utm_*",
             *       "ref"
             *     ]
             */
            keep_query?: string[];
            /**
             * @description Display name, unique in the company.
             * @example Shop
             */
            name?: string;
            /** @description Orders and refunds that results count, by who sent them. */
            orders?: components["schemas"]["TrustPolicy"];
            /**
             * @description Origins of pages on which visitors enter experiments, such as `https://shop.example`; exposures on other
             *     pages do not count. Empty: all pages.
             * @example [
             *       "https://shop.example"
             *     ]
             */
            page_origins?: string[];
            /** @description True when experiments that are known to harm their pages are ended automatically: see `page_health` of a result. */
            stop_on_page_harm?: boolean;
            /** @description Visitors that results count, by who sent their exposures: see `health.unvouched` of a result. */
            visitors?: components["schemas"]["TrustPolicy"];
        };
        /** @description A proposed change. */
        Proposal: {
            /**
             * Format: int64
             * @description Revision of the experiment for which it was made.
             */
            base_revision: number;
            /** @description Body as sent, without the note: fields of an update, or the new status. */
            body: {
                [key: string]: unknown;
            };
            /**
             * @description Other fields that have changed since it was made. If there are any, it cannot be approved: propose it
             *     again.
             */
            changed_since: components["schemas"]["FieldChange"][];
            /** @description Fields that it would change now; empty once it is decided. */
            changes: components["schemas"]["FieldChange"][];
            /**
             * @description Media type of the body, which says how its fields are applied: `application/json` or
             *     `application/merge-patch+json`.
             */
            content_type: string;
            /**
             * Format: date-time
             * @description Time of the decision; null while it is open.
             */
            decided_at: string | null;
            decided_by: components["schemas"]["ActorView"] | null;
            /** @description Reason for the proposal; may be empty. */
            note: string;
            /**
             * Format: int64
             * @description Identifies the proposal.
             */
            proposal_id: number;
            /**
             * Format: date-time
             * @description Time of the proposal.
             */
            proposed_at: string;
            /** @description Author, who cannot approve it. */
            proposed_by: components["schemas"]["ActorView"];
            /** @description Reason for the decision; may be empty. */
            reason: string;
            /** @description State of the proposal. */
            state: components["schemas"]["ProposalState"];
            /**
             * Format: int64
             * @description Id of the experiment.
             */
            test_id: number;
        };
        /** @description A change was proposed. */
        ProposalCreated: {
            /**
             * @description True when the project requires a second person's approval; otherwise the change can also be made
             *     directly.
             */
            needs_approval: boolean;
            /**
             * Format: int64
             * @description Id of the proposal.
             */
            proposal_id: number;
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Id of the experiment.
             */
            test_id: number;
        };
        /** @description A proposal was decided. */
        ProposalDecided: {
            /**
             * Format: int64
             * @description Id of the proposal.
             */
            proposal_id: number;
            /** @description State of the proposal. */
            state: components["schemas"]["ProposalState"];
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Id of the experiment.
             */
            test_id: number;
        };
        /** @description A page of proposals. */
        ProposalList: {
            /** @description Value to send as `cursor` for the next page; null on the last one. */
            next_cursor: string | null;
            /** @description Newest first. */
            proposals: components["schemas"]["Proposal"][];
            /** @description Always true. */
            success: boolean;
        };
        /**
         * @description State of a proposal.
         * @enum {string}
         */
        ProposalState: "open" | "approved" | "rejected" | "withdrawn";
        /** @description The project's currency rates. */
        RatesAnswer: {
            /** @description Number of rates in the table. */
            count: number;
            /** @description Currency to which amounts are converted; null without a table. */
            currency: string | null;
            /** @description Rates by currency, then by date. */
            rates: components["schemas"]["CurrencyRate"][];
            /** @description Always true. */
            success: boolean;
        };
        /** @description Complete table of the project's currency rates. */
        RatesBody: {
            /**
             * @description Currency to which amounts are converted, ISO 4217. Null, with no rates, removes the
             *     table.
             */
            currency: string | null;
            /** @description Rates, at most one per currency and day. */
            rates: components["schemas"]["RateSent"][];
        };
        /** @description Currency rates were set. */
        RatesChanged: {
            /** @description Number of rates in the table. */
            count: number;
            /** @description Currency to which amounts are converted; null without a table. */
            currency: string | null;
            /** @description Always true. */
            success: boolean;
        };
        /** @description Value of one unit of a currency from a day on, until its next rate. */
        RateSent: {
            /** @description ISO 4217 code, different from the currency of the table. */
            currency: string;
            /**
             * Format: date
             * @description First day on which it applies, in UTC.
             */
            date: string;
            /**
             * Format: double
             * @description Value of one unit in the currency of the table.
             */
            rate: number;
        };
        /** @description The sample ratio test. */
        RatioCheck: {
            /**
             * Format: double
             * @description p-value of Pearson's chi-squared test for comparison, valid for a single check.
             */
            chi_squared_p_value: number | null;
            /** @description Epochs with visitors. */
            epochs: components["schemas"]["EpochRatio"][];
            /** @description Message for people. */
            message: string;
            /**
             * Format: double
             * @description p-value of the sequential test over all epochs, valid at any time. Below 0.01 the check fails.
             */
            p_value: number | null;
            /** @description `ok`, `warn`, `fail`, or `unknown` when there is no data. */
            status: string;
        };
        /**
         * @description Reason why an epoch began.
         * @enum {string}
         */
        Reason: "status" | "variants" | "targeting" | "traffic" | "distribution" | "groups";
        /** @description A second factor that was wrong after the correct password. */
        RefusedSecondFactor: {
            /**
             * Format: date-time
             * @description Time of the attempt.
             */
            at: string;
            /**
             * @description Method: `password and code` or `passkey`.
             * @example password and code
             */
            method: string;
            /**
             * @description Network of the attempt: a /24 of IPv4, or a /48 of IPv6.
             * @example 203.0.113.0/24
             */
            network: string;
        };
        /** @description An experiment was reopened. */
        Reopened: {
            /** @description Always 0. */
            is_completed: components["schemas"]["Flag"];
            /** @description Status, which does not change. */
            status: components["schemas"]["StatusCode"];
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Id of the experiment.
             */
            test_id: number;
        };
        /** @description State to restore. */
        RestoreBody: {
            /**
             * Format: int64
             * @description Revision in the history. The state after this change is restored.
             */
            revision: number;
        };
        /** @description An earlier state was restored. */
        Restored: {
            /**
             * Format: int64
             * @description Revision whose state was restored.
             */
            revision: number;
            /** @description Always true. */
            success: boolean;
        };
        /** @description Result of an experiment. */
        ResultAnswer: {
            /**
             * Format: double
             * @description Average order value.
             */
            aov?: number | null;
            /** @description The arms by the requested attribute, largest segment first, at most 50 segments and the rest. */
            breakdowns: components["schemas"]["Breakdown"][];
            /**
             * Format: int64
             * @description Confidence threshold in percent.
             */
            confidence_threshold_percent: number;
            /** @description ISO 4217 code; null when no order names a currency. */
            currency?: string | null;
            /**
             * Format: int64
             * @description Days from the start to the end, or to now; days that have begun count as whole.
             */
            days_running: number;
            /** @description `equal`, `custom` or `mab`. */
            distribution_mode: string;
            /**
             * Format: date
             * @description Last day of the result; today while it is running.
             */
            end_date: string | null;
            /** @description True when it was added, changed or chosen after the plan was locked: useful for ideas, but not evidence. */
            exploratory?: boolean;
            /** @description Reason, as a sentence. */
            exploratory_reason?: string | null;
            /** @description Key of the goal for the numbers at the top. */
            goal_key: string | null;
            /** @description Health checks of the data. */
            health: components["schemas"]["Health"];
            /**
             * Format: int32
             * @description 1 for a multi-armed bandit.
             */
            is_mab: number;
            /** @description Data that the numbers were computed from; `muriel verify` recomputes them. */
            manifest: {
                [key: string]: unknown;
            };
            /** @description The other metrics. */
            metrics: components["schemas"]["MetricResult"][];
            /** @description Page health of the arms, the control first. */
            page_health: components["schemas"]["PageHealth"][];
            plan?: components["schemas"]["ResultPlan"] | null;
            /** @description Note about the plan: why there is none, or that it was locked late. */
            plan_note?: string | null;
            primary_goal: components["schemas"]["GoalExcerpt"] | null;
            /** @description `pre_deploy`, `post_deploy` or `all_time`. */
            report_phase: unknown;
            /**
             * Format: double
             * @description Revenue per visitor.
             */
            rpv?: number | null;
            /** @description Variant that is served as the winner. */
            serving_variant_id: string | null;
            /**
             * Format: date
             * @description First day of the result, in the requested time zone; null before the first start.
             */
            start_date: string | null;
            /** @description `bayesian` or `frequentist`: the view that the team uses. */
            stats_engine: string;
            /** @description `draft`, `live` or `inactive`. */
            status: string;
            /**
             * Format: int32
             * @description 9 draft, 1 live, 0 inactive.
             */
            status_code: number;
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Identifies the experiment.
             */
            test_id: number;
            /** @description Display name. */
            test_name: string;
            /**
             * Format: int64
             * @description Number of visitors who converted.
             */
            total_conversions: number;
            /**
             * Format: int64
             * @description Number of orders.
             */
            total_orders?: number | null;
            /**
             * Format: double
             * @description Total value of the orders.
             */
            total_revenue?: number | null;
            /**
             * Format: int64
             * @description Number of visitors in all arms.
             */
            total_visitors: number;
            /**
             * Format: int64
             * @description Percentage of eligible visitors that enter.
             */
            traffic_allocation: number;
            /** @description The arms, the control first. */
            variants: components["schemas"]["VariantResult"][];
        };
        /** @description The plan of an experiment as it was at its first start. */
        ResultPlan: {
            /**
             * @description `variant_id` of each arm, the control first.
             * @example [
             *       "0",
             *       "1"
             *     ]
             */
            arms: string[];
            /** @description Messages about differences from the plan since then. Empty if everything is as planned. */
            changed_since: string[];
            /**
             * Format: int64
             * @description Confidence threshold in percent.
             */
            confidence_threshold_percent: number;
            confirmed: components["schemas"]["PlanConfirmedBefore"] | null;
            /** @description Events to report. */
            event_metrics: string[];
            /**
             * @description Built-in metrics that must not get worse.
             * @example [
             *       "bounce_rate",
             *       "engagement"
             *     ]
             */
            guardrails: string[];
            /**
             * @description SHA-256 of the plan's canonical form (RFC 8785), `manifest.plan.content`.
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            hash: string;
            /**
             * @description Message about changes that the clock does not act on, and what it acts on instead; null if it acts on
             *     everything, or if none of its rules depends on results.
             */
            held_back: string | null;
            hypothesis: components["schemas"]["PlannedHypothesis"] | null;
            /**
             * Format: int64
             * @description Id of the hypothesis that it tests.
             */
            hypothesis_id: number | null;
            /**
             * Format: date-time
             * @description Time at which it was locked.
             */
            locked_at: string;
            /**
             * Format: double
             * @description Smallest lift worth acting on, in percent.
             * @example 5
             */
            mde: number;
            /** @description `given`, or `computed` from the smallest lift and the project's traffic; null without a total. */
            planned_from: string | null;
            /**
             * Format: int64
             * @description Planned total of visitors, for which the comparisons are tuned; null if none was given and none could be
             *     computed.
             */
            planned_visitors: number | null;
            primary_goal: components["schemas"]["PlannedGoal"] | null;
            /** @description Secondary goals, in order. */
            secondary_goals: components["schemas"]["PlannedGoal"][];
            /** @description Rules that end it. */
            stop_rule: components["schemas"]["PlannedEnd"];
        };
        /** @description A change. */
        RevisionView: {
            /**
             * @description Action: `create`, `update`, `status`, `restore`…
             * @example update
             */
            action: string;
            /** @description Actor of the change. */
            actor: components["schemas"]["ActorView"];
            /**
             * Format: date-time
             * @description Time of the change.
             */
            at: string;
            /** @description Fields that changed; empty for the creation. */
            changes: components["schemas"]["FieldChange"][];
            /**
             * @description Reason for an action of the clock, with its numbers, or the proposal that was approved; null for
             *     all other changes.
             */
            detail: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: int64
             * @description Number of the change; 1 is the creation. The restore operations accept it.
             */
            revision: number;
        };
        /**
         * @description Role of a person: `viewer` reads, `editor` also creates and changes experiments, `admin` also changes settings, keys and people, `owner` also changes other owners.
         * @enum {string}
         */
        RoleName: "viewer" | "editor" | "admin" | "owner";
        /** @description New rollout. */
        RolloutBody: {
            /**
             * Format: int64
             * @description Percent of the visitors who get the winner.
             */
            traffic_allocation: number;
        };
        /** @description A project's ruleset, as described in docs/assignment.md. */
        RulesetDocument: {
            experiments: {
                [key: string]: unknown;
            }[];
            /**
             * Format: int64
             * @description Format version: 2, or 1 if no experiment has a holdout.
             */
            format: number;
            /** @description Goals that only the page can observe. Absent if there are none. */
            goals?: components["schemas"]["WatchedGoal"][];
            /**
             * Format: int64
             * @description Version of hashing, 1.
             */
            hash: number;
            project_key: string;
        };
        /** @description Aggregated outcomes of many runs. */
        Runs: {
            /** @description Runs in which a variant was called better or worse at any check. */
            called: components["schemas"]["RunShareView"];
            /** @description Number of days on which visitors entered. */
            days: components["schemas"]["RunSpread"];
            /** @description Causes of the end. */
            ended_by: components["schemas"]["EndShares"];
            /** @description Runs in which the first variant was called a win at any check. */
            ever_won: components["schemas"]["RunShareView"];
            /** @description Runs in which another variant than the first was called better or worse. */
            others_called: components["schemas"]["RunShareView"];
            /**
             * Format: int64
             * @description Number of runs.
             */
            runs: number;
            /** @description Verdicts on the first variant at the end. */
            verdicts: components["schemas"]["VerdictShares"];
            /** @description Number of visitors in all arms. */
            visitors: components["schemas"]["RunSpread"];
        };
        /** @description A share of the runs, with its 95 % confidence interval. */
        RunShareView: {
            /**
             * Format: int64
             * @description Number of runs.
             */
            count: number;
            /**
             * Format: double
             * @description Lower bound, in percent.
             */
            lower: number;
            /**
             * Format: double
             * @description Share, in percent.
             */
            percent: number;
            /**
             * Format: double
             * @description Upper bound, in percent.
             */
            upper: number;
        };
        /** @description Distribution of a number over the runs. */
        RunSpread: {
            /**
             * Format: double
             * @description Mean.
             */
            mean: number;
            /**
             * Format: int64
             * @description Median.
             */
            median: number;
            /**
             * Format: int64
             * @description 90th percentile.
             */
            nine_of_ten: number;
        };
        /** @description Outcomes of runs in which the first variant has a lift. */
        RunsWithEffect: {
            /** @description Runs in which a variant was called better or worse at any check. */
            called: components["schemas"]["RunShareView"];
            /** @description Number of days on which visitors entered. */
            days: components["schemas"]["RunSpread"];
            /**
             * Format: double
             * @description True lift of the first variant, in percent.
             */
            effect: number;
            /** @description Causes of the end. */
            ended_by: components["schemas"]["EndShares"];
            /** @description Runs in which the first variant was called a win at any check. */
            ever_won: components["schemas"]["RunShareView"];
            /** @description Runs in which another variant than the first was called better or worse. */
            others_called: components["schemas"]["RunShareView"];
            /** @description Runs that ended with the right verdict. */
            power: components["schemas"]["RunShareView"];
            /**
             * Format: int64
             * @description Number of runs.
             */
            runs: number;
            /** @description Verdicts on the first variant at the end. */
            verdicts: components["schemas"]["VerdictShares"];
            /** @description Number of visitors in all arms. */
            visitors: components["schemas"]["RunSpread"];
        };
        /** @description Hours of the week in the visitor's time zone. */
        Schedule: {
            /** @description Groups, any of which must match. */
            schedule_groups: components["schemas"]["ScheduleGroup"][];
        };
        /** @description Days, and the hours on them. */
        ScheduleGroup: {
            /** @description Days of the week. */
            days: components["schemas"]["Day"][];
            /** @description Time ranges, any of which must match. */
            time_ranges: components["schemas"]["TimeRange"][];
        };
        /**
         * @description Permission of an API key.
         * @enum {string}
         */
        ScopeName: "read" | "write" | "code" | "evaluate" | "admin";
        /** @description An arm as of the end of a day. */
        SeriesPoint: {
            /**
             * Format: double
             * @description Conversion rate, in percent.
             */
            conversion_rate: number | null;
            /**
             * Format: int64
             * @description Number of those who had converted.
             */
            conversions: number;
            /**
             * Format: date
             * @description The day.
             */
            date: string;
            /**
             * Format: double
             * @description Lift, as in the result; null on the control.
             */
            lift: number | null;
            /** @description Interval of the lift, as in the result. The intervals of all days hold simultaneously. */
            lift_interval: number[] | null;
            /**
             * Format: double
             * @description p-value, as in the result.
             */
            p_value: number | null;
            /**
             * Format: double
             * @description Total value of their orders; null for other goals.
             */
            revenue: number | null;
            /** @description `"0"` is the control. */
            variant_id: string;
            /**
             * Format: int64
             * @description Number of visitors who had entered.
             */
            visitors: number;
        };
        /** @description Winner to serve, and its rollout. */
        ServeBody: {
            /**
             * Format: int64
             * @description Percent of the visitors who get it.
             * @default 100
             */
            traffic_allocation?: number;
            /** @description `"0"` for the control, `"1"` for `Variant 1`… */
            variant_id: string;
        };
        /** @description Serving stopped. */
        ServingStopped: {
            /** @description Always false. */
            is_serving: boolean;
            /** @description Always null. */
            serving_variant_id: string | null;
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Id of the experiment.
             */
            test_id: number;
        };
        /** @description The signed-in person and their permissions. */
        SessionAnswer: {
            /**
             * @description Name of the company.
             * @example Acme
             */
            company: string;
            /**
             * @description Token to send as `X-Muriel-CSRF` with each request that changes something.
             * @example 3499569de30c660a1ae3cefa2008ac72
             */
            csrf: string;
            /**
             * Format: date-time
             * @description Time at which the session ends unless it is used before: 12 hours after its last use, and at most 30 days after
             *     the sign-in.
             */
            expires_at: string;
            /** @description The signed-in person. */
            person: components["schemas"]["Person"];
            /** @description Projects that the person sees, oldest first. */
            projects: components["schemas"]["SessionProject"][];
            /** @description Role in the company. */
            role: components["schemas"]["RoleName"];
            /** @description Always true. */
            success: boolean;
        };
        /** @description A signed-in browser. */
        SessionItem: {
            /**
             * Format: date-time
             * @description Time of the sign-in.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time at which it ends unless it is used before.
             */
            expires_at: string;
            /** @description True for the session of this request. */
            is_current: boolean;
            /**
             * Format: date-time
             * @description Time of the last use, to the minute.
             */
            last_seen_at: string;
            /**
             * @description Sign-in method.
             * @example password
             */
            method: string;
            /**
             * @description Network of the sign-in: a /24 of IPv4, or a /48 of IPv6.
             * @example 203.0.113.0/24
             */
            network: string;
            /**
             * Format: int64
             * @description Identifies the session.
             */
            session_id: number;
            /**
             * @description User agent of the browser, at most 255 characters.
             * @example Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0
             */
            user_agent: string;
        };
        /** @description Sessions of the caller. */
        SessionList: {
            /** @description Number of sessions. */
            count: number;
            /**
             * @description Second factors that were wrong after the correct password within the last 30 days, newest first, at most 20. If
             *     you did not enter them, somebody else may know your password: choose another.
             */
            refused: components["schemas"]["RefusedSecondFactor"][];
            /** @description Latest sign-in first. */
            sessions: components["schemas"]["SessionItem"][];
            /** @description Always true. */
            success: boolean;
        };
        /** @description A project that the caller sees. */
        SessionProject: {
            /**
             * @description Display name.
             * @example Shop
             */
            name: string;
            /**
             * @description Key of the project.
             * @example prj_Q2f8kX3mD7tYwR5vB9cN1s
             */
            project_key: string;
            role: components["schemas"]["RoleName"] | null;
            /** @description Permissions in the project. */
            scopes: components["schemas"]["ScopeName"][];
        };
        /** @description Sessions were ended. */
        SessionsRevoked: {
            /**
             * Format: int64
             * @description Number of sessions that were ended.
             */
            revoked: number;
            /** @description Always true. */
            success: boolean;
        };
        /** @description A link to a result. */
        Share: {
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /** @description Creator of the link. */
            created_by: components["schemas"]["ActorView"];
            /**
             * Format: date-time
             * @description Time at which it expires.
             */
            expires_at: string;
            /**
             * Format: date-time
             * @description Hour in which it was last opened; null if never. Who opened it is not stored.
             */
            opened_at: string | null;
            /** @description Visitors and goal of the result. */
            query: components["schemas"]["ShareQuery"];
            /**
             * Format: date-time
             * @description Time of revocation; null if it is not revoked.
             */
            revoked_at: string | null;
            revoked_by: components["schemas"]["ActorView"] | null;
            /**
             * Format: int64
             * @description Identifies the link. The id does not give access to the result.
             */
            share_id: number;
            /** @description State of the link. */
            state: components["schemas"]["ShareState"];
        };
        /** @description A new link. */
        ShareBody: {
            /**
             * Format: int64
             * @description Days for which the link works.
             * @default 30
             */
            expires_in_days?: number;
            /** @description Visitors and goal of the result. Default: all visitors and the primary goal. */
            query?: components["schemas"]["ShareQueryBody"];
        };
        /** @description A link was created. */
        ShareCreated: {
            /** @description The new link. */
            share: components["schemas"]["Share"];
            /** @description Always true. */
            success: boolean;
            /**
             * @description URL. Everybody who has it can read the result. It is not stored and shown only
             *     this once.
             * @example https://muriel.example/share/q7J2m…
             */
            url: string;
        };
        /** @description A goal without its definition. */
        SharedGoal: {
            /** @description Permanent key. */
            goal_key: string;
            /** @description Display name. */
            goal_name: string;
        };
        /** @description A shared result. It does not contain the manifest, experiment ids, and definitions of goals. */
        SharedResult: {
            /**
             * Format: double
             * @description Average order value.
             */
            aov?: number | null;
            /**
             * Format: date-time
             * @description Time of the result, at most a minute ago.
             */
            as_of: string;
            /** @description The arms by the attribute of the query, largest segment first, at most 50 segments and the rest. */
            breakdowns: components["schemas"]["Breakdown"][];
            /**
             * Format: int64
             * @description Confidence threshold in percent.
             */
            confidence_threshold_percent: number;
            /** @description ISO 4217 code; null when no order names a currency. */
            currency?: string | null;
            /**
             * Format: int64
             * @description Days from the start to the end, or to now; days that have begun count as whole.
             */
            days_running: number;
            /** @description `equal`, `custom` or `mab`. */
            distribution_mode: string;
            /**
             * Format: date
             * @description Last day of the result; today while it is running.
             */
            end_date: string | null;
            /**
             * Format: date-time
             * @description Time at which the link expires.
             */
            expires_at: string;
            /** @description True when it was added, changed or chosen after the plan was locked: useful for ideas, but not evidence. */
            exploratory?: boolean;
            /** @description Reason, as a sentence. */
            exploratory_reason?: string | null;
            /** @description Key of the goal for the numbers at the top. */
            goal_key: string | null;
            /** @description Name of that goal. */
            goal_name: string | null;
            /**
             * @description Health checks of the data. Messages about other experiments, single orders or the server have fewer details
             *     here.
             */
            health: components["schemas"]["Health"];
            /**
             * Format: int32
             * @description 1 for a multi-armed bandit.
             */
            is_mab: number;
            /** @description The other metrics. */
            metrics: components["schemas"]["MetricResult"][];
            /** @description Page health of the arms. */
            page_health: components["schemas"]["PageHealth"][];
            primary_goal: components["schemas"]["SharedGoal"] | null;
            /** @description Visitors and goal of the result, fixed when the link was created. */
            query: components["schemas"]["ShareQuery"];
            /** @description `pre_deploy`, `post_deploy` or `all_time`. */
            report_phase: unknown;
            /**
             * Format: double
             * @description Revenue per visitor.
             */
            rpv?: number | null;
            /** @description Variant that is served as the winner. */
            serving_variant_id: string | null;
            /**
             * Format: date
             * @description First day of the result, in the time zone of the query; null before the first start.
             */
            start_date: string | null;
            /** @description `bayesian` or `frequentist`: the view that the team uses. */
            stats_engine: string;
            /** @description `draft`, `live` or `inactive`. */
            status: string;
            /**
             * Format: int32
             * @description 9 draft, 1 live, 0 inactive.
             */
            status_code: number;
            /** @description Always true. */
            success: boolean;
            /** @description Display name. */
            test_name: string;
            /**
             * @description `abtest`, `split` or `personalization`. Variants of a personalization have different audiences, so their
             *     differences are not effects.
             */
            test_type: string;
            /**
             * Format: int64
             * @description Number of visitors who converted.
             */
            total_conversions: number;
            /**
             * Format: int64
             * @description Number of orders.
             */
            total_orders?: number | null;
            /**
             * Format: double
             * @description Total value of the orders.
             */
            total_revenue?: number | null;
            /**
             * Format: int64
             * @description Number of visitors in all arms.
             */
            total_visitors: number;
            /**
             * Format: int64
             * @description Percentage of eligible visitors that enter.
             */
            traffic_allocation: number;
            /** @description The arms, the control first. */
            variants: components["schemas"]["VariantResult"][];
        };
        /** @description A shared result day by day. It has no `health`, which is part of the shared result. */
        SharedTimeseries: {
            /** @description True when it was added, changed or chosen after the plan was locked: useful for ideas, but not evidence. */
            exploratory?: boolean;
            /** @description Arms that are not part of the plan locked at the first start. */
            exploratory_arms?: components["schemas"]["ExploratoryArm"][];
            /** @description Reason, as a sentence. */
            exploratory_reason?: string | null;
            /** @description Key of the goal of the numbers. */
            goal_key: string | null;
            /** @description Always true. */
            success: boolean;
            /** @description Cumulative numbers, by day and then by arm. */
            timeseries: components["schemas"]["SeriesPoint"][];
            /** @description Time zone of the days. */
            tz: string;
        };
        /** @description Links to an experiment's result. */
        ShareList: {
            /** @description Newest first, at most 200. Links that have ended are listed for some time. */
            shares: components["schemas"]["Share"][];
            /** @description Always true. */
            success: boolean;
        };
        /** @description Visitors and goal of a result, by the names of the parameters of a result. */
        ShareQuery: {
            /** @description Attribute of the breakdown. */
            breakdown_by: string | null;
            /**
             * Format: date
             * @description Last day of the result: visitors who entered, and their events, until the end
             *     of this day.
             */
            end_date: string | null;
            /**
             * Format: int64
             * @description Epoch in which the visitors entered; null for all.
             */
            epoch: number | null;
            /**
             * @description Filters separated by commas, which must all match; null for all visitors.
             * @example mobile,country-DE
             */
            filter_by: string | null;
            /** @description Key of the goal at the top; null for the primary one. */
            goal_key: string | null;
            /** @description `pre_deploy`, `post_deploy` or `all_time`. */
            report_phase: string;
            /**
             * Format: date
             * @description Visitors who entered on this day or later.
             */
            start_date: string | null;
            /** @description Time zone of days. */
            tz: string;
        };
        /** @description Visitors and goal of a result: the parameters of a result, as members of an object. Null equals a missing member. */
        ShareQueryBody: {
            /** @description One of `device browser os country user_type landing_page referrer utm_source utm_medium utm_campaign`. */
            breakdown_by?: string | null;
            /**
             * Format: date
             * @description Last day of the result: visitors who entered, and their events, until the end of this day.
             */
            end_date?: string | null;
            /**
             * Format: int64
             * @description Epoch in which the visitors entered.
             */
            epoch?: number | null;
            /**
             * @description Filters from `mobile desktop tablet new returning paid search direct country-XX`, separated by commas.
             * @example mobile,country-DE
             */
            filter_by?: string | null;
            /** @description Key of the goal to report; the primary one by default. */
            goal_key?: string | null;
            /** @description `pre_deploy` (default), `post_deploy` or `all_time`. */
            report_phase?: string | null;
            /**
             * Format: date
             * @description Visitors who entered on this day or later.
             */
            start_date?: string | null;
            /** @description Time zone of days: an IANA name (`Europe/Berlin`) or an hour offset (`2`). UTC by default. */
            tz?: string | null;
        };
        /** @description A link was revoked. */
        ShareRevoked: {
            /**
             * Format: int64
             * @description Id of the revoked link.
             */
            share_id: number;
            /** @description Always true. */
            success: boolean;
        };
        /**
         * @description State of a link to a result.
         * @enum {string}
         */
        ShareState: "open" | "expired" | "revoked";
        /** @description A session was ended by signing out. */
        SignedOut: {
            /** @description Always true. */
            signed_out: boolean;
            /** @description Always true. */
            success: boolean;
        };
        /** @description Credentials of a sign-in. */
        SignInBody: {
            /**
             * @description E-mail address, in any letter case.
             * @example ada@example.com
             */
            email: string;
            /**
             * @description Password.
             * @example correct horse battery
             */
            password: string;
            /**
             * @description Six digits of the authenticator, or a recovery code. Required for people who have enrolled an authenticator.
             * @example 123456
             */
            totp?: string;
        };
        /** @description Sign-in methods of this server. */
        SignInMethods: {
            /** @description True while nobody can sign in yet. The server prints a link for the first owner when it starts. */
            needs_first_owner: boolean;
            /**
             * @description Name of the OpenID provider, whose sign-in begins at `/v2/session/oidc/start`; null without one.
             * @example Acme
             */
            oidc: string | null;
            /** @description True when passkeys are available. Browsers create them for host names, not for addresses such as 127.0.0.1. */
            passkeys: boolean;
            /** @description True when sign-in with e-mail address and password is enabled. */
            password: boolean;
            /** @description Always true. */
            success: boolean;
        };
        /** @description Experiment whose plan was simulated. */
        SimulatedExperiment: {
            /** @description Key of the primary goal. */
            goal_key: string | null;
            /**
             * Format: int64
             * @description Identifies the experiment.
             */
            test_id: number;
            /** @description Display name. */
            test_name: string;
        };
        /** @description Rules of a simulated experiment for verdicts and for its end. */
        SimulatedPlan: {
            /**
             * Format: double
             * @description Confidence threshold, in percent.
             */
            confidence: number;
            /**
             * Format: int32
             * @description Maximum number of days on which visitors enter.
             */
            days: number;
            /**
             * Format: double
             * @description Smallest lift worth acting on, in percent.
             */
            mde: number;
            /** @description `conversion` or `revenue`. */
            measure: components["schemas"]["SimulationMeasure"];
            /**
             * Format: double
             * @description Planned total of visitors.
             */
            planned_visitors: number | null;
            /**
             * Format: double
             * @description Maximum percent of experiments without a difference in which a variant is called better or worse.
             */
            promised_false_calls: number;
            /** @description Rules that can end it earlier. */
            stops: components["schemas"]["SimulatedStops"];
            /** @description Weights of the arms, in percent, control first. */
            weights: number[];
            /**
             * Format: int32
             * @description Length of the conversion window, in days; 0 without one.
             */
            window_days: number;
        };
        /** @description Rules that end a simulated experiment. */
        SimulatedStops: {
            /**
             * Format: int64
             * @description Number of conversions after which it ends.
             */
            conversions: number | null;
            /**
             * Format: int32
             * @description Number of days after which it ends.
             */
            days: number | null;
            /** @description True when it ends as soon as a variant is called better or worse. */
            significant: boolean;
            /**
             * Format: int64
             * @description Number of visitors after which it ends.
             */
            visitors: number | null;
        };
        /** @description Assumptions about the visitors of a simulation. */
        SimulatedVisitors: {
            /** @description Source of that number. */
            baseline_from: components["schemas"]["NumberSource"];
            /**
             * Format: double
             * @description Percent of the control's visitors who convert.
             */
            baseline_rate: number;
            /** @description Source of that number. */
            daily_from: components["schemas"]["NumberSource"];
            /**
             * Format: double
             * @description Number of visitors who enter per day.
             */
            daily_visitors: number;
            /**
             * Format: double
             * @description Standard deviation of the logarithm of order values; null for conversions.
             */
            sigma: number | null;
        };
        /** @description Outcome of simulating the experiment's plan many times on synthetic visitors. */
        Simulation: {
            /**
             * Format: double
             * @description Number of days that the plan takes, if that exceeds the simulated ones.
             */
            days_needed: number | null;
            /** @description Experiment whose plan was simulated. */
            experiment: components["schemas"]["SimulatedExperiment"];
            /**
             * Format: double
             * @description Smallest lift, in percent, that is detected in 80 of 100 experiments in the available time; null if there is
             *     none.
             */
            lift_found: number | null;
            /** @description Rules for verdicts and for the end. */
            plan: components["schemas"]["SimulatedPlan"];
            /** @description Rate of false alarms compared with the promised one: `kept`, `broken`, or `open` when more runs are needed. */
            promise: components["schemas"]["SimulationPromise"];
            /**
             * Format: int64
             * @description Seed of the random numbers.
             */
            seed: number;
            /** @description Always true. */
            success: boolean;
            /** @description Assumptions about the visitors. */
            visitors: components["schemas"]["SimulatedVisitors"];
            /**
             * Format: double
             * @description Number of visitors with which the lift is detected in 80 of 100 experiments; null if no number is enough.
             */
            visitors_needed: number | null;
            with_effect: components["schemas"]["RunsWithEffect"] | null;
            /** @description Outcomes when there is no difference: every call is a false alarm. */
            without_effect: components["schemas"]["Runs"];
        };
        /** @description Assumptions of a simulation. */
        SimulationBody: {
            /**
             * Format: double
             * @description Percent of the control's visitors who convert. Default: that of the project's last two weeks, or 5.
             */
            baseline_rate?: number;
            /**
             * Format: double
             * @description Visitors who enter per day. Default: that of the project's last two weeks, or 1,000.
             */
            daily_visitors?: number;
            /**
             * Format: int64
             * @description Days after which an experiment ends if no rule has ended it. Default: the length of the plan.
             */
            days?: number;
            /**
             * Format: double
             * @description True lift of Variant 1, in percent. Default: the smallest lift worth acting on.
             */
            lift?: number;
            /**
             * Format: int64
             * @description Number of experiments to simulate.
             * @default 500
             */
            runs?: number;
            /**
             * Format: int64
             * @description Seed of the random numbers. The same seed gives the same result.
             * @default 1
             */
            seed?: number;
        };
        /**
         * @description Measure of a simulated goal.
         * @enum {string}
         */
        SimulationMeasure: "conversion" | "revenue";
        /**
         * @description Rate of false alarms compared with the promised one: `kept`, `broken`, or `open` when the simulation cannot tell.
         * @enum {string}
         */
        SimulationPromise: "kept" | "open" | "broken";
        /** @description A new status. */
        StatusBody: {
            /**
             * @description Fields that change in the same transaction, in the form of an update. The response includes the update's
             *     warnings.
             */
            changes?: components["schemas"]["ExperimentPatch"];
            /**
             * Format: date-time
             * @description Time from which visitors count: allowed with status 1 and before the first start. A test that ran elsewhere may
             *     have started up to 1,500 days ago. Needs the scope `admin`.
             */
            started_at?: string;
            /** @description New status. */
            status: components["schemas"]["StatusCode"];
        };
        /**
         * @description 9 draft, 1 live, 0 inactive.
         * @enum {integer}
         */
        StatusCode: 9 | 1 | 0;
        /** @description An experiment's status was set. */
        StatusUpdated: {
            /**
             * Format: int64
             * @description Planned total of visitors, if it was computed because the experiment started for the first time and none was
             *     given.
             */
            planned_visitors?: number | null;
            /** @description New status. */
            status: components["schemas"]["StatusCode"];
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Id of the experiment.
             */
            test_id: number;
            /**
             * @description Warnings, each with the name of the field: for example about a missing primary goal, or code that is not valid
             *     JavaScript.
             */
            warnings: string[];
        };
        /**
         * @description Outcome of a check.
         * @enum {string}
         */
        StepOutcome: "pass" | "fail" | "unknown" | "not_enforced";
        /** @description Visitors who differ from all others by more than chance, and what excluding them would change. */
        Suspect: {
            /**
             * Format: int64
             * @description Visitors among them who converted on the goal at the top; null without such a goal.
             */
            converted: number | null;
            /** @description Kind of the exclusion that leaves them out. */
            kind: components["schemas"]["ExclusionKind"];
            /**
             * @description Property by which they stand out. `split`: the variants have other shares of them than of all others. `effect`:
             *     the conversion rates of the variants differ in another way. `verdict`: a verdict does not hold without them.
             */
            oddity: components["schemas"]["SuspectOddity"];
            /**
             * @description Value of the exclusion: a word for a browser, system or device, or the hash of a network.
             * @example aff7bb5fdef8f52a
             */
            value: string;
            /** @description The variants, the control first. */
            variants: components["schemas"]["SuspectVariant"][];
            /**
             * Format: int64
             * @description Number of these visitors.
             */
            visitors: number;
        };
        /** @description Visitors of an experiment who may be made up. */
        SuspectList: {
            /** @description Always true. */
            success: boolean;
            /** @description At most 10, with those that change a verdict first. Each can be excluded with its `kind` and `value`. */
            suspects: components["schemas"]["Suspect"][];
        };
        /**
         * @description Property by which visitors stand out.
         * @enum {string}
         */
        SuspectOddity: "split" | "effect" | "verdict";
        /** @description A variant with suspects and without them. */
        SuspectVariant: {
            /**
             * Format: double
             * @description Lift as in the result, in percent.
             */
            lift: number | null;
            /**
             * Format: double
             * @description Lift without the suspects, in percent.
             */
            lift_without: number | null;
            /** @description `"0"` is the control. */
            variant_id: string;
            verdict: components["schemas"]["VerdictWord"] | null;
            verdict_without: components["schemas"]["VerdictWord"] | null;
            /**
             * Format: int64
             * @description Number of suspects in the variant.
             */
            visitors: number;
        };
        /**
         * @description An operating system.
         * @enum {string}
         */
        System: "windows" | "macOS" | "linux" | "chromeOS" | "ios" | "android";
        /** @description Visitors and pages on which an experiment runs. Missing and empty rules restrict nothing. */
        Targeting: {
            /** @description Cities, such as `Berlin (Berlin)`. */
            allowed_city?: components["schemas"]["Place"][];
            /** @description Countries. */
            allowed_country?: components["schemas"]["Country"][];
            /** @description Regions, such as `California (US)`. */
            allowed_region?: components["schemas"]["Place"][];
            /** @description Language tags; `en` matches `en-GB`. */
            browser_language_rule?: string[];
            /** @description Browsers. */
            browser_rule?: components["schemas"]["Browser"][];
            /** @description Cookies; browser only. */
            cookie_rule?: components["schemas"]["Condition"][][];
            /** @description Kinds of device. */
            device_rule?: components["schemas"]["Device"][];
            /** @description Earlier events of the visitor; all entries have to match. */
            event_rule?: components["schemas"]["EventRule"][];
            /** @description Audiences that the page hands over: any of them. */
            ga4_rule?: string[];
            /** @description Operating systems. */
            os_rule?: components["schemas"]["System"][];
            /** @description Query parameters. */
            parameter_rule?: components["schemas"]["Condition"][][];
            /** @description Where the visitor came from; criteria `host`, `url` or `source`. */
            referral_rule?: components["schemas"]["Condition"][][];
            schedule_rule?: components["schemas"]["Schedule"] | null;
            /** @description The visitor's attributes. */
            segment_rule?: components["schemas"]["Condition"][][];
            /** @description Pages. An exclusion overrides an inclusion. */
            url_rule?: components["schemas"]["UrlRule"][];
            /** @description `new` or `returning`, alone or as a list of one. */
            user_rule?: components["schemas"]["UserRule"];
        };
        /**
         * @description `abtest` changes the page, `split` redirects to other pages, `personalization` gives each variant its own audience.
         * @enum {string}
         */
        TestType: "abtest" | "split" | "personalization";
        /** @description From `start` to `end`. If `end` is earlier, the range continues past midnight. */
        TimeRange: {
            /** @description `HH:MM`; `24:00` ends a day. */
            end: string;
            /** @description `HH:MM`. */
            start: string;
        };
        /** @description Result of an experiment day by day. */
        TimeseriesAnswer: {
            /**
             * @description Loss of a bandit by the end of each day, from what is known of its arms now. Absent for other experiments, and
             *     until there is data for every arm.
             */
            bandit?: components["schemas"]["BanditPoint"][];
            /** @description True when it was added, changed or chosen after the plan was locked: useful for ideas, but not evidence. */
            exploratory?: boolean;
            /** @description Arms that are not part of the plan locked at the first start. */
            exploratory_arms?: components["schemas"]["ExploratoryArm"][];
            /** @description Reason, as a sentence. */
            exploratory_reason?: string | null;
            /** @description Key of the goal of the numbers. */
            goal_key: string | null;
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Identifies the experiment.
             */
            test_id: number;
            /** @description Cumulative numbers, by day and then by arm. */
            timeseries: components["schemas"]["SeriesPoint"][];
            /** @description Time zone of the days. */
            tz: string;
        };
        /** @description An authenticator that is not confirmed yet. */
        TotpBegun: {
            /**
             * @description Secret in base 32, to type.
             * @example JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP
             */
            secret: string;
            /** @description Always true. */
            success: boolean;
            /**
             * @description Same secret as a URI, to show as a QR code.
             * @example otpauth://totp/Muriel:ada%40example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Muriel
             */
            uri: string;
        };
        /** @description Six digits of the authenticator. */
        TotpCodeBody: {
            /**
             * @description Current digits of the authenticator.
             * @example 123456
             */
            code: string;
        };
        /** @description An authenticator was enrolled. */
        TotpEnrolled: {
            /**
             * @description Codes to use when the authenticator is lost. Each works once instead of the digits. They are shown only this
             *     once.
             */
            recovery_codes: string[];
            /** @description Always true. */
            success: boolean;
        };
        /** @description An authenticator was removed. */
        TotpRemoved: {
            /** @description True when there was one. */
            removed: boolean;
            /** @description Always true. */
            success: boolean;
        };
        /**
         * @description Events that count: `any`, `signed` (with the visitor's signature or with an API key) or `keyed` (with an API key).
         * @enum {string}
         */
        TrustPolicy: "any" | "signed" | "keyed";
        /**
         * @description Comparison with a page's URL.
         * @enum {string}
         */
        UrlMatch: "simple" | "exact" | "contain" | "wildcard" | "regex";
        /** @description A page on which an experiment runs or does not run. */
        UrlRule: {
            /**
             * @description true (the default): runs there; false: does not.
             * @default true
             */
            allowed?: boolean;
            /** @description Comparison. */
            rule: components["schemas"]["UrlMatch"];
            /** @description URL, part of one, or pattern. */
            url: string;
        };
        /** @description `new` or `returning`, as text or as a list with one item. */
        UserRule: string | string[];
        /** @description A variant other than the control. */
        Variant: {
            /** @description CSS that only this variant gets. */
            customCSS: string;
            /** @description JavaScript that only this variant runs. */
            customJS: string;
            /** @description Visual changes, applied in order. */
            data: components["schemas"]["Change"][];
            /** @description `Variant 1`, `Variant 2`… by position in the list. */
            name: string;
            /** @description Label for people. */
            nickname: string;
            /** @description Visitors who get this variant; personalizations only. */
            targeting?: components["schemas"]["Audience"];
        };
        /** @description A variant other than the control. */
        VariantBody: {
            /** @description CSS that only this variant gets, at most 512 KiB. */
            customCSS?: string;
            /** @description JavaScript that only this variant runs, at most 512 KiB. */
            customJS?: string;
            /** @description Visual changes, applied in order. */
            data?: components["schemas"]["Change"][];
            /** @description `Variant 1`, `Variant 2`… by position in the list. */
            name: string;
            /** @description Label for people. */
            nickname?: string;
            /** @description Visitors who get this variant; personalizations only. */
            targeting?: components["schemas"]["Audience"];
        };
        /** @description An arm with its numbers. */
        VariantResult: {
            analysis?: components["schemas"]["AnalysisResult"] | null;
            /**
             * Format: double
             * @description Average order value.
             */
            aov?: number | null;
            /** @description Match counts of its first 60 changes. Changes that no page has reported are left out. */
            changes: components["schemas"]["ChangeFound"][];
            /**
             * Format: double
             * @description Conversion rate, in percent; null without visitors, and for a built-in metric when no page view was sent.
             */
            conversion_rate: number | null;
            /**
             * Format: int64
             * @description Number of those who converted.
             */
            conversions: number;
            /** @description ISO 4217 code; null when no order names a currency. */
            currency?: string | null;
            /** @description True when it was added, changed or chosen after the plan was locked: useful for ideas, but not evidence. */
            exploratory?: boolean;
            /** @description Reason, as a sentence. */
            exploratory_reason?: string | null;
            /**
             * Format: double
             * @description Improvement over the control in the shown numbers, in percent; absent on the control.
             */
            improvement?: number | null;
            /** @description True for the control. */
            is_control: boolean;
            /** @description `Control`, `Variant 1`… */
            name: string;
            /** @description Label for people. */
            nickname: string;
            /**
             * Format: int64
             * @description Visitors whose conversion window is still open: shown, but not compared yet.
             */
            open_visitors?: number | null;
            /**
             * Format: date-time
             * @description Time at which its code was last changed, or its name was reused, after the first start. Data recorded
             *     before belongs to the earlier version. Null if never.
             */
            redefined_at: string | null;
            /**
             * Format: double
             * @description Revenue per visitor.
             */
            rpv?: number | null;
            /**
             * Format: int64
             * @description Number of orders.
             */
            total_orders?: number | null;
            /**
             * Format: double
             * @description Total value of the orders.
             */
            total_revenue?: number | null;
            /**
             * Format: double
             * @description Percent of the traffic that it gets now, or got in the requested epoch.
             */
            traffic_weight: number;
            /** @description `"0"` is the control. */
            variant_id: string;
            /**
             * Format: int64
             * @description Visitors who entered.
             */
            visitors: number;
        };
        /** @description Numbers of runs by the verdict on the first variant at their end. */
        VerdictShares: {
            do_not_trust: components["schemas"]["RunShareView"];
            keep_running: components["schemas"]["RunShareView"];
            loss: components["schemas"]["RunShareView"];
            no_difference: components["schemas"]["RunShareView"];
            win: components["schemas"]["RunShareView"];
        };
        /**
         * @description Verdict of a metric about the variants.
         * @enum {string}
         */
        VerdictWord: "win" | "loss" | "no_difference" | "keep_running" | "do_not_trust";
        /** @description A page of a visitor's events. */
        VisitorEvents: {
            /** @description Number of entries in `events`. */
            count: number;
            /**
             * @description Value to send as `cursor` for the next page; null at the end of the log. A page can have fewer events than
             *     requested, or none, and not be the last.
             * @example 1204-17
             */
            cursor: string | null;
            /**
             * Format: int64
             * @description Number of damaged blocks that were skipped. Events of the visitor in them are missing.
             */
            damaged_blocks: number;
            /** @description Events as stored, in the order of receipt. */
            events: {
                [key: string]: unknown;
            }[];
            /**
             * @description Number of other servers on the same database that run or that have received events. Request the visitor's events
             *     from each of them.
             */
            other_nodes: number;
            /** @description Always true. */
            success: boolean;
        };
        /** @description A deletion of a visitor's data. */
        VisitorJobAnswer: {
            /**
             * Format: int64
             * @description Number of damaged blocks in event logs, which may contain events of the visitor.
             */
            damaged_blocks: number;
            /**
             * Format: int64
             * @description Number of events deleted so far.
             */
            events: number;
            /**
             * Format: date-time
             * @description Time of completion; null until then.
             */
            finished_at: string | null;
            /** @description Progress of each node. Empty when no node has an event log. */
            nodes: components["schemas"]["VisitorJobNode"][];
            /**
             * Format: date-time
             * @description Time of the request.
             */
            requested_at: string;
            /**
             * @description Requester: the id of an API key, the name of a person, or `command line`.
             * @example 3fK2aQ9z
             */
            requested_by: string;
            /**
             * @description `pending`: the event log of some node may still have events of the visitor. `compacting`: they are removed from
             *     all logs and results, but some bytes remain in a file until it is rebuilt. `done`: nothing is left.
             */
            status: components["schemas"]["VisitorJobStatus"];
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Identifies the deletion.
             */
            visitor_job_id: number;
        };
        /** @description Progress of a deletion on a node. */
        VisitorJobNode: {
            /**
             * Format: int64
             * @description Number of attempts.
             */
            attempts: number;
            /**
             * Format: int64
             * @description Number of damaged blocks in its event log.
             */
            damaged_blocks: number;
            /**
             * Format: int64
             * @description Number of events that it deleted.
             */
            events: number;
            /**
             * Format: int64
             * @description Last block of its event log that was examined. Events in later blocks arrived after the deletion and are kept.
             *     Null until then.
             */
            examined_block: number | null;
            /**
             * Format: date-time
             * @description Time of completion; null until then.
             */
            finished_at: string | null;
            /**
             * @description Id of the node, as in `muriel node list`; `local` on SQLite.
             * @example local
             */
            node: string;
            /**
             * Format: int64
             * @description Percent of its event log that was read in the current attempt.
             */
            percent: number;
            /**
             * @description Reason why the last attempt failed; it is retried. Null if it did not fail.
             * @example the event log cannot be read
             */
            reason: string | null;
            /** @description Status on this node, with the same words as for the whole deletion. */
            status: components["schemas"]["VisitorJobStatus"];
        };
        /**
         * @description Status of a deletion.
         * @enum {string}
         */
        VisitorJobStatus: "pending" | "compacting" | "done";
        /** @description Watching state of an experiment. */
        WatchAnswer: {
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Id of the experiment.
             */
            test_id: number;
            /** @description Number of people who watch it, of those who see the project. */
            watchers: number;
            /** @description True when the caller watches it. */
            watching: boolean;
        };
        /** @description A goal that only the page can observe. */
        WatchedGoal: {
            goal_key: string;
            goal_type: components["schemas"]["GoalType"];
            goal_value: components["schemas"]["GoalValue"];
        };
        /** @description A webhook: a URL to which events of the project are sent. */
        Webhook: {
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /**
             * @description Purpose.
             * @example Posts to the team's channel
             */
            description: string;
            /**
             * Format: date-time
             * @description Time at which it was disabled; null while it is enabled.
             */
            disabled_at: string | null;
            /**
             * @description Reason why it was disabled; null while it is enabled.
             * @example every attempt of five days failed, the last one: answered 500
             */
            disabled_reason: string | null;
            /** @description True when it is enabled. */
            enabled: boolean;
            /** @description Events that are sent to it. */
            events: components["schemas"]["EventName"][];
            /**
             * Format: date-time
             * @description Time of the first failure; null while the last attempt succeeded.
             */
            failing_since: string | null;
            /**
             * @description URL to which messages are sent.
             * @example https://hooks.example.com/muriel
             */
            url: string;
            /**
             * Format: int64
             * @description Identifies the webhook.
             */
            webhook_id: number;
        };
        /** @description A new webhook. */
        WebhookBody: {
            /**
             * @description Purpose.
             * @example Posts to the team's channel
             */
            description?: string;
            /** @description Events that are sent to it. */
            events: components["schemas"]["EventName"][];
            /**
             * @description URL to which messages are sent: http or https, reachable from the public internet.
             * @example https://hooks.example.com/muriel
             */
            url: string;
        };
        /** @description A webhook was changed. */
        WebhookChanged: {
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Id of the webhook.
             */
            webhook_id: number;
        };
        /** @description A webhook was created. */
        WebhookCreated: {
            /**
             * @description Secret that signs its messages. It is shown only this once.
             * @example whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazfhXLp0Y2E=
             */
            secret: string;
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Id of the webhook.
             */
            webhook_id: number;
        };
        /** @description A webhook was deleted. */
        WebhookDeleted: {
            /** @description Always true. */
            deleted: boolean;
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Id of the deleted webhook.
             */
            webhook_id: number;
        };
        /** @description A project's webhooks. */
        WebhookList: {
            /** @description Always true. */
            success: boolean;
            /** @description Oldest first; at most 20. */
            webhooks: components["schemas"]["Webhook"][];
        };
        /** @description Changes to a webhook. */
        WebhookPatch: {
            /**
             * @description Purpose.
             * @example Posts to the team's channel
             */
            description?: string;
            /** @description true enables it. false also cancels pending deliveries; each can be resent. */
            enabled?: boolean;
            /** @description Complete new list of events that are sent to it. */
            events?: components["schemas"]["EventName"][];
            /**
             * @description URL to which messages are sent: http or https, reachable from the public internet.
             * @example https://hooks.example.com/muriel
             */
            url?: string;
        };
        /** @description The secret of a webhook was rotated. */
        WebhookRotated: {
            /**
             * Format: date-time
             * @description Time until which messages are also signed with the old secret.
             */
            old_secret_until: string;
            /**
             * @description New secret that signs its messages. It is shown only this once.
             * @example whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazfhXLp0Y2E=
             */
            secret: string;
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Id of the webhook.
             */
            webhook_id: number;
        };
        /** @description Percent per variant, by name, with up to two decimals. Every variant is named, and the values sum to 100. */
        Weights: {
            [key: string]: number;
        };
        /**
         * @description All experiments of the project, including later ones.
         * @enum {string}
         */
        WholeProject: "project";
        /** @description A winner is served. */
        WinnerServed: {
            /** @description Always true. */
            is_serving: boolean;
            /** @description Variant that is served. */
            serving_variant_id: string;
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Id of the experiment.
             */
            test_id: number;
            /**
             * Format: int64
             * @description Percent of the visitors who get it.
             */
            traffic_allocation: number;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    sendEvents: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's key. */
                project_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EventsBody"];
            };
        };
        responses: {
            /** @description One result per event, in the order sent. Each event that is `ok` is stored durably. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventsTaken"];
                };
            };
        };
    };
    sendEventBatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's key. */
                project_key: string;
            };
            cookie?: never;
        };
        /** @description Each item is a line. */
        requestBody: {
            content: {
                "application/x-ndjson": components["schemas"]["EventsLine"][];
            };
        };
        responses: {
            /** @description Each item is a line: the outcome of a line that was sent, in the order sent, without blank lines. Each event that is `ok` is stored durably. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": components["schemas"]["EventsLineTaken"][];
                };
            };
        };
    };
    getGeography: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's key. */
                project_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Null if the location is not known. Never cached. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GeographyAnswer"];
                };
            };
        };
    };
    getScript: {
        parameters: {
            query?: never;
            header?: {
                /** @description Returns 304 without a body if this is still the ETag. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The project's key. */
                project_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The script, compressed if the client accepts that, with an ETag. It never contains drafts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/javascript": string;
                };
            };
            /** @description The version in If-None-Match is the current one. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getScriptTypes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Declarations. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    getScriptPart: {
        parameters: {
            query?: never;
            header?: {
                /** @description Returns 304 without a body if this is still the ETag. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The part's name. */
                part: "rules" | "source" | "changes" | "split" | "goals" | "orders" | "tools" | "vitals" | "badge";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A script: `badge`, or a part that a preview names. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/javascript": string;
                };
            };
            /** @description The version in If-None-Match is the current one. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getPreview: {
        parameters: {
            query: {
                /** @description The `test-token` of the preview link; it expires after seven days. */
                token: string;
            };
            header?: never;
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The experiment's id. */
                test_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A ruleset with this one experiment, whose loops can be stopped as in the script. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PreviewDocument"];
                };
            };
        };
    };
    reportPreview: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The experiment's id. */
                test_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PreviewReport"];
                "text/plain": components["schemas"]["PreviewReport"];
            };
        };
        responses: {
            /** @description Recorded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PreviewReported"];
                };
            };
        };
    };
    getRuleset: {
        parameters: {
            query?: never;
            header?: {
                /** @description Returns 304 without a body if this is still the ETag. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The project's key. */
                project_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The ruleset, compressed if the client accepts that, with an ETag. It never contains drafts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RulesetDocument"];
                };
            };
            /** @description The version in If-None-Match is the current one. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getSharedResult: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The part of the link after `/share/`. */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result, of at most a minute ago. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SharedResult"];
                };
            };
        };
    };
    getSharedTimeseries: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The part of the link after `/share/`. */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A point per day and variant, of at most a minute ago. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SharedTimeseries"];
                };
            };
        };
    };
    listAudit: {
        parameters: {
            query?: {
                /** @description Only actions of this actor: a person's id or e-mail address, the 8 characters of a key, or a name such as `command line`. */
                actor?: string;
                /** @description `next_cursor` of the previous page. */
                cursor?: string;
                /** @description Only entries from this moment on; a date is its midnight in UTC. */
                from?: string;
                /** @description Page size; 50 unless given, at most 500. Larger values count as 500. */
                limit?: number;
                /** @description Only actions on objects of this kind (`experiment`), or on this object (`experiment:17`). */
                object?: string;
                /** @description Only actions in the project with this key. */
                project?: string;
                /** @description Only entries before this moment. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the log. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditPage"];
                };
            };
        };
    };
    getAuditTable: {
        parameters: {
            query?: {
                /** @description Only actions of this actor: a person's id or e-mail address, the 8 characters of a key, or a name such as `command line`. */
                actor?: string;
                /** @description The `X-Muriel-Cursor` of the previous page. */
                cursor?: string;
                /** @description Only entries from this moment on; a date is its midnight in UTC. */
                from?: string;
                /** @description Number of entries; 10,000 unless given, which is the maximum. */
                limit?: number;
                /** @description Only actions on objects of this kind (`experiment`), or on this object (`experiment:17`). */
                object?: string;
                /** @description Only actions in the project with this key. */
                project?: string;
                /** @description Only entries before this moment. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The table as CSV. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
        };
    };
    listInbox: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description Page size; 50 unless given, at most 100. Larger values count as 100. */
                limit?: number;
                /** @description `true` lists only unread entries. */
                unread?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Inbox"];
                };
            };
        };
    };
    updateInboxEntry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The entry's id. */
                entry_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InboxEntryBody"];
            };
        };
        responses: {
            /** @description The entry was marked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InboxEntryMarked"];
                };
            };
        };
    };
    readInbox: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InboxReadBody"];
            };
        };
        responses: {
            /** @description The entries are marked as read. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InboxMarked"];
                };
            };
        };
    };
    countInbox: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The number, up to 100. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InboxCount"];
                };
            };
        };
    };
    createInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InvitationBody"];
            };
        };
        responses: {
            /** @description The link. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitationCreated"];
                };
            };
        };
    };
    getInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The part of the link after `#`. */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The company, the role and the projects that the invitation gives. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitationAnswer"];
                };
            };
        };
    };
    acceptInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The part of the link after `#`. */
                token: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AcceptBody"];
            };
        };
        responses: {
            /** @description The person is signed in. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionAnswer"];
                };
            };
        };
    };
    revokeKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The key's 8 characters after `mrl_`. */
                prefix: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key was revoked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyRevoked"];
                };
            };
        };
    };
    listKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The keys. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyList"];
                };
            };
        };
    };
    createKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["KeyBody"];
            };
        };
        responses: {
            /** @description The key was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyCreated"];
                };
            };
        };
    };
    getOverview: {
        parameters: {
            query?: {
                /** @description `exclude` (default) leaves out archived experiments, `include` lists them too, and `only` lists nothing else. */
                archived?: string;
                /** @description Only experiments that are not concluded and either have ended or have all their planned visitors (`true`), or only all others (`false`). */
                complete?: boolean;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description Health statuses, separated by commas: `ok`, `warn`, `fail`, `unknown`. */
                health?: string;
                /** @description Page size; 50 unless given, at most 500. Larger values count as 500. */
                limit?: number;
                /** @description Outcomes, separated by commas; `none` for experiments that are not concluded. */
                outcome?: string;
                /** @description Only experiments that this actor created: the `id` of an owner, or `me`. */
                owner?: string;
                /** @description Keys of projects, separated by commas. */
                project?: string;
                /** @description Only experiments whose name, key, page or labels contain this text, in any letter case. An id also finds its experiment. */
                search?: string;
                /** @description Only experiments whose winner is served (`true`), or only all others (`false`). */
                served?: boolean;
                /** @description One of `need`, `last_change`, `created_at`, `test_name`, `status`, `verdict`, `health`, `visitors`, `days` and `days_left`, with `-` before it for descending order; `-last_change` unless given. Unknown values come last. `need` sorts by what the experiment needs: broken, to serve, to stop, waiting for approval, complete; within each, the last change first. */
                sort?: string;
                /** @description Statuses, separated by commas: `draft`, `live`, `inactive`. */
                status?: string;
                /** @description Only experiments with this label. */
                tag?: string;
                /** @description Verdicts, separated by commas: `win`, `loss`, `no_difference`, `keep_running`, `do_not_trust`, `unknown`. */
                verdict?: string;
                /** @description Only experiments with a change that waits for a second person (`true`), or only all others (`false`). */
                waiting?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The experiments that match. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Overview"];
                };
            };
        };
    };
    listPeople: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The people. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PeopleList"];
                };
            };
        };
    };
    withdrawInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The invitation's id. */
                invitation_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The invitation was withdrawn; its link no longer works. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitationWithdrawn"];
                };
            };
        };
    };
    removePerson: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The person's id. */
                person_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The person was removed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PersonRemoved"];
                };
            };
        };
    };
    updatePerson: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The person's id. */
                person_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PersonPatch"];
            };
        };
        responses: {
            /** @description All changes were applied. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PersonChanged"];
                };
            };
        };
    };
    listPasskeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The passkeys. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyList"];
                };
            };
        };
    };
    createPasskey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasskeyBody"];
            };
        };
        responses: {
            /** @description The passkey can be used to sign in. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyEnrolled"];
                };
            };
        };
    };
    removePasskey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The passkey's id. */
                passkey_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The passkey was removed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyRemoved"];
                };
            };
        };
    };
    beginPasskey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordAgainBody"];
            };
        };
        responses: {
            /** @description Options for `navigator.credentials`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyOptions"];
                };
            };
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordBody"];
            };
        };
        responses: {
            /** @description The number of other sessions that were ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionsRevoked"];
                };
            };
        };
    };
    listSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sessions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionList"];
                };
            };
        };
    };
    revokeOtherSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The number of sessions that were ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionsRevoked"];
                };
            };
        };
    };
    revokeSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session's id. */
                session_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session was ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionsRevoked"];
                };
            };
        };
    };
    beginTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordAgainBody"];
            };
        };
        responses: {
            /** @description The new authenticator secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TotpBegun"];
                };
            };
        };
    };
    confirmTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TotpCodeBody"];
            };
        };
        responses: {
            /** @description The second factor is required from now on. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TotpEnrolled"];
                };
            };
        };
    };
    removeTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordAgainBody"];
            };
        };
        responses: {
            /** @description The second factor was removed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TotpRemoved"];
                };
            };
        };
    };
    getProgramme: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description Only experiments that were concluded at this moment or later; a date is its midnight in UTC. */
                from?: string;
                /** @description Page size; 50 unless given, at most 200. Larger values count as 200. */
                limit?: number;
                /** @description Lists only experiments with these outcomes, separated by commas. */
                outcome?: string;
                /** @description Keys of projects, separated by commas; all projects that the caller sees unless given. */
                project?: string;
                /** @description Lists only experiments whose name, key, page, labels, note or lesson contain this text, in any letter case. An id also finds its experiment. */
                search?: string;
                /** @description Only experiments that were concluded before this moment. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The programme. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Programme"];
                };
            };
        };
    };
    getProgrammeTable: {
        parameters: {
            query?: {
                /** @description The `X-Muriel-Cursor` of the previous page. */
                cursor?: string;
                /** @description Only experiments that were concluded at this moment or later; a date is its midnight in UTC. */
                from?: string;
                /** @description Number of lines; 1,000 unless given, which is the maximum. */
                limit?: number;
                /** @description Lists only experiments with these outcomes, separated by commas. */
                outcome?: string;
                /** @description Keys of projects, separated by commas; all projects that the caller sees unless given. */
                project?: string;
                /** @description Lists only experiments whose name, key, page, labels, note or lesson contain this text, in any letter case. An id also finds its experiment. */
                search?: string;
                /** @description Only experiments that were concluded before this moment. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The table as CSV. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
        };
    };
    createExperiment: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 printable ASCII characters, not beginning or ending with a space. For a day, a repeated request gets the first successful response again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project's key. */
                project_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExperimentCreation"];
            };
        };
        responses: {
            /** @description The experiment was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExperimentCreated"];
                };
            };
        };
    };
    getCurrencyRates: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's key. */
                project_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The whole table, in a form that can be sent back. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RatesAnswer"];
                };
            };
        };
    };
    setCurrencyRates: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's key. */
                project_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RatesBody"];
            };
        };
        responses: {
            /** @description The new table. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RatesChanged"];
                };
            };
        };
    };
    evaluateMany: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's key. */
                project_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EvaluateManyBody"];
            };
        };
        responses: {
            /** @description A list of assignments for each context, in the order sent. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManyEvaluated"];
                };
            };
        };
    };
    createExclusionGroup: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 printable ASCII characters, not beginning or ending with a space. For a day, a repeated request gets the first successful response again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project's key. */
                project_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GroupBody"];
            };
        };
        responses: {
            /** @description The group was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GroupChanged"];
                };
            };
        };
    };
    deleteExclusionGroup: {
        parameters: {
            query?: {
                /** @description Whether visitors of live experiments may be moved; false unless sent. A JSON body with this field is also accepted. */
                accept_moves?: boolean;
            };
            header?: never;
            path: {
                /** @description The group's id. */
                group_id: number;
                /** @description The project's key. */
                project_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GroupDeleted"];
                };
            };
        };
    };
    updateExclusionGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The group's id. */
                group_id: number;
                /** @description The project's key. */
                project_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GroupPatch"];
            };
        };
        responses: {
            /** @description All changes were applied. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GroupChanged"];
                };
            };
        };
    };
    getHoldoutResult: {
        parameters: {
            query?: {
                /** @description Visitors who entered, and their events, until the end of this day. */
                end_date?: string;
                /** @description The goal to report; by default, the primary goal of most of its experiments. */
                goal_key?: string;
                /** @description Visitors who entered on this day or later. */
                start_date?: string;
                /** @description Where days begin: an IANA name (`Europe/Berlin`) or an hour offset (`2`). UTC by default. */
                tz?: string;
            };
            header?: never;
            path: {
                /** @description The group's id. */
                group_id: number;
                /** @description The project's key. */
                project_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HoldoutResult"];
                };
            };
        };
    };
    listExclusionGroups: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's key. */
                project_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GroupList"];
                };
            };
        };
    };
    deleteExclusion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The exclusion's id. */
                exclusion_id: number;
                /** @description The project's key. */
                project_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The visits count again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExclusionDeleted"];
                };
            };
        };
    };
    listExclusions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's key. */
                project_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExclusionList"];
                };
            };
        };
    };
    createExclusion: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 printable ASCII characters, not beginning or ending with a space. For a day, a repeated request gets the first successful response again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project's key. */
                project_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExclusionBody"];
            };
        };
        responses: {
            /** @description The visits are excluded. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExclusionCreated"];
                };
            };
        };
    };
    listExperimentKeys: {
        parameters: {
            query?: {
                /** @description Only experiments with a greater id; `next_after` of the previous page. */
                after?: number;
                /** @description Page size; 500 unless given, at most 1000. Larger values count as 1000. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The project's key. */
                project_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Lowest id first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExperimentKeys"];
                };
            };
        };
    };
    getExperiment: {
        parameters: {
            query?: never;
            header?: {
                /** @description Returns 304 without a body if this is still the ETag. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The experiment's id. */
                test_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The experiment, with a strong ETag. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExperimentAnswer"];
                };
            };
            /** @description The version in If-None-Match is the current one. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    deleteExperiment: {
        parameters: {
            query?: never;
            header?: {
                /** @description Applies the change only if this is still the ETag of the experiment; otherwise 412. */
                "If-Match"?: string;
            };
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The experiment's id. */
                test_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExperimentDeleted"];
                };
            };
        };
    };
    updateExperiment: {
        parameters: {
            query?: never;
            header?: {
                /** @description Applies the change only if this is still the ETag of the experiment; otherwise 412. */
                "If-Match"?: string;
            };
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The experiment's id. */
                test_id: number;
            };
            cookie?: never;
        };
        /** @description As application/json, a field that is sent is replaced as a whole; as application/merge-patch+json, objects are merged (RFC 7396). */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExperimentPatch"];
                "application/merge-patch+json": components["schemas"]["MergePatch"];
            };
        };
        responses: {
            /** @description All changes were applied; the new ETag. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExperimentUpdated"];
                };
            };
        };
    };
    archiveExperiment: {
        parameters: {
            query?: never;
            header?: {
                /** @description Applies the change only if this is still the ETag of the experiment; otherwise 412. */
                "If-Match"?: string;
            };
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The experiment's id. */
                test_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ArchiveBody"];
            };
        };
        responses: {
            /** @description The new state of the archive flag. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArchiveUpdated"];
                };
            };
        };
    };
    previewChange: {
        parameters: {
            query?: never;
            header?: {
                /** @description Applies the change only if this is still the ETag of the experiment; otherwise 412. */
                "If-Match"?: string;
            };
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The experiment's id. */
                test_id: number;
            };
            cookie?: never;
        };
        /** @description The same body as for the update. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExperimentPatch"];
                "application/merge-patch+json": components["schemas"]["MergePatch"];
            };
        };
        responses: {
            /** @description The effects of the change, on the version that the ETag names. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangePreview"];
                };
            };
        };
    };
    getChecklist: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The experiment's id. */
                test_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every check. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Checklist"];
                };
            };
        };
    };
    listExperimentComments: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description Page size; 50 unless given, at most 200. Larger values count as 200. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The experiment's id. */
                test_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommentList"];
                };
            };
        };
    };
    createExperimentComment: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 printable ASCII characters, not beginning or ending with a space. For a day, a repeated request gets the first successful response again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The experiment's id. */
                test_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CommentBody"];
            };
        };
        responses: {
            /** @description The comment was stored. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommentCreated"];
                };
            };
        };
    };
    concludeExperiment: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 printable ASCII characters, not beginning or ending with a space. For a day, a repeated request gets the first successful response again. */
                "Idempotency-Key"?: string;
                /** @description Applies the change only if this is still the ETag of the experiment; otherwise 412. */
                "If-Match"?: string;
            };
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The experiment's id. */
                test_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConclusionBody"];
            };
        };
        responses: {
            /** @description The experiment was concluded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Concluded"];
                };
            };
        };
    };
    getConclusion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The experiment's id. */
                test_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The conclusion. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConclusionAnswer"];
                };
            };
        };
    };
    confirmAct: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 printable ASCII characters, not beginning or ending with a space. For a day, a repeated request gets the first successful response again. */
                "Idempotency-Key"?: string;
                /** @description Applies the change only if this is still the ETag of the experiment; otherwise 412. */
                "If-Match"?: string;
            };
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The experiment's id. */
                test_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ActConfirmation"];
            };
        };
        responses: {
            /** @description The clock acts at its next check, if the rule is still met. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ActConfirmed"];
                };
            };
        };
    };
    confirmPlan: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 printable ASCII characters, not beginning or ending with a space. For a day, a repeated request gets the first successful response again. */
                "Idempotency-Key"?: string;
                /** @description Applies the change only if this is still the ETag of the experiment; otherwise 412. */
                "If-Match"?: string;
            };
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The experiment's id. */
                test_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PlanConfirmation"];
            };
        };
        responses: {
            /** @description From now on the clock acts on the current plan. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlanConfirmed"];
                };
            };
        };
    };
    getDistribution: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The experiment's id. */
                test_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The shares in force. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DistributionAnswer"];
                };
            };
        };
    };
    duplicateExperiment: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 printable ASCII characters, not beginning or ending with a space. For a day, a repeated request gets the first successful response again. */
                "Idempotency-Key"?: string;
                /** @description Applies the change only if this is still the ETag of the experiment; otherwise 412. */
                "If-Match"?: string;
            };
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The experiment's id. */
                test_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DuplicateBody"];
            };
        };
        responses: {
            /** @description The copy was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Duplicated"];
                };
            };
        };
    };
    explainAssignment: {
        parameters: {
            query: {
                /** @description The visitor's id. Every other parameter is context: `country`, `url`, `device`…, or an attribute. */
                visitor: string;
            };
            header?: never;
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The experiment's id. */
                test_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All checks, in order; `variant` is null if the visitor is not included. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Explanation"];
                };
            };
        };
    };
    getExperimentHistory: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description Page size; 20 unless given, at most 100. Larger values count as 100. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The experiment's id. */
                test_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["History"];
                };
            };
        };
    };
    getPlan: {
        parameters: {
            query?: {
                /** @description Percent of the control's visitors who convert; from the log by default. */
                baseline_rate?: number;
                /** @description Visitors who enter per day; from the log by default. */
                daily_visitors?: number;
                /** @description Smallest lift worth finding, in percent; the experiment's plan by default. */
                mde?: number;
                /** @description Statistical power: percent of such lifts that are detected, 50 to 99; 80 by default. */
                power?: number;
            };
            header?: never;
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The experiment's id. */
                test_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The plan. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlanAnswer"];
                };
            };
        };
    };
    getPreviewUrls: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The experiment's id. */
                test_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One link per variant, the control first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PreviewLinks"];
                };
            };
        };
    };
    listExperimentProposals: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description Page size; 20 unless given, at most 100. Larger values count as 100. */
                limit?: number;
                /** @description Only proposals in this state: `open`, `approved`, `rejected` or `withdrawn`. */
                state?: string;
            };
            header?: never;
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The experiment's id. */
                test_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProposalList"];
                };
            };
        };
    };
    createProposal: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 printable ASCII characters, not beginning or ending with a space. For a day, a repeated request gets the first successful response again. */
                "Idempotency-Key"?: string;
                /** @description Applies the change only if this is still the ETag of the experiment; otherwise 412. */
                "If-Match"?: string;
            };
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The experiment's id. */
                test_id: number;
            };
            cookie?: never;
        };
        /** @description As application/json, a field that is sent is replaced as a whole; as application/merge-patch+json, objects are merged (RFC 7396). */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeProposal"];
                "application/merge-patch+json": components["schemas"]["MergePatch"];
            };
        };
        responses: {
            /** @description The proposal is open. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProposalCreated"];
                };
            };
        };
    };
    reopenExperiment: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 printable ASCII characters, not beginning or ending with a space. For a day, a repeated request gets the first successful response again. */
                "Idempotency-Key"?: string;
                /** @description Applies the change only if this is still the ETag of the experiment; otherwise 412. */
                "If-Match"?: string;
            };
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The experiment's id. */
                test_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The experiment was reopened. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reopened"];
                };
            };
        };
    };
    restoreExperiment: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 printable ASCII characters, not beginning or ending with a space. For a day, a repeated request gets the first successful response again. */
                "Idempotency-Key"?: string;
                /** @description Applies the change only if this is still the ETag of the experiment; otherwise 412. */
                "If-Match"?: string;
            };
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The experiment's id. */
                test_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RestoreBody"];
            };
        };
        responses: {
            /** @description Restored. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Restored"];
                };
            };
        };
    };
    previewRestore: {
        parameters: {
            query?: never;
            header?: {
                /** @description Applies the change only if this is still the ETag of the experiment; otherwise 412. */
                "If-Match"?: string;
            };
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The experiment's id. */
                test_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RestoreBody"];
            };
        };
        responses: {
            /** @description The effects of the change, on the version that the ETag names. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangePreview"];
                };
            };
        };
    };
    getResult: {
        parameters: {
            query?: {
                /** @description One of `device browser os country user_type landing_page referrer utm_source utm_medium utm_campaign`. */
                breakdown_by?: string;
                /** @description Visitors who entered, and their events, until the end of this day. */
                end_date?: string;
                /** @description Visitors who entered in this epoch, or `all`. */
                epoch?: string;
                /** @description Filters from `mobile desktop tablet new returning paid search direct country-XX`, separated by commas. All must match at entry; of several countries, one. */
                filter_by?: string;
                /** @description The goal to report; the primary one by default. */
                goal_key?: string;
                /** @description `pre_deploy` (default): until a winner was served; `post_deploy`: from then on; `all_time`. */
                report_phase?: string;
                /** @description Visitors who entered on this day or later. */
                start_date?: string;
                /** @description Where days begin: an IANA name (`Europe/Berlin`) or an hour offset (`2`). UTC by default. */
                tz?: string;
            };
            header?: never;
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The experiment's id. */
                test_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResultAnswer"];
                };
            };
        };
    };
    getResultTable: {
        parameters: {
            query?: {
                /** @description One of `device browser os country user_type landing_page referrer utm_source utm_medium utm_campaign`. */
                breakdown_by?: string;
                /** @description Visitors who entered, and their events, until the end of this day. */
                end_date?: string;
                /** @description Visitors who entered in this epoch, or `all`. */
                epoch?: string;
                /** @description Filters from `mobile desktop tablet new returning paid search direct country-XX`, separated by commas. All must match at entry; of several countries, one. */
                filter_by?: string;
                /** @description The goal to report; the primary one by default. */
                goal_key?: string;
                /** @description `pre_deploy` (default): until a winner was served; `post_deploy`: from then on; `all_time`. */
                report_phase?: string;
                /** @description Visitors who entered on this day or later. */
                start_date?: string;
                /** @description Where days begin: an IANA name (`Europe/Berlin`) or an hour offset (`2`). UTC by default. */
                tz?: string;
            };
            header?: never;
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The experiment's id. */
                test_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The table as CSV. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
        };
    };
    serveWinner: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 printable ASCII characters, not beginning or ending with a space. For a day, a repeated request gets the first successful response again. */
                "Idempotency-Key"?: string;
                /** @description Applies the change only if this is still the ETag of the experiment; otherwise 412. */
                "If-Match"?: string;
            };
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The experiment's id. */
                test_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ServeBody"];
            };
        };
        responses: {
            /** @description The winner is served. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WinnerServed"];
                };
            };
        };
    };
    updateServingRollout: {
        parameters: {
            query?: never;
            header?: {
                /** @description Applies the change only if this is still the ETag of the experiment; otherwise 412. */
                "If-Match"?: string;
            };
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The experiment's id. */
                test_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RolloutBody"];
            };
        };
        responses: {
            /** @description The new rollout. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WinnerServed"];
                };
            };
        };
    };
    listShares: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The experiment's id. */
                test_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShareList"];
                };
            };
        };
    };
    createShare: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 printable ASCII characters, not beginning or ending with a space. For a day, a repeated request gets the first successful response again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The experiment's id. */
                test_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ShareBody"];
            };
        };
        responses: {
            /** @description The link was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShareCreated"];
                };
            };
        };
    };
    simulateExperiment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The experiment's id. */
                test_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SimulationBody"];
            };
        };
        responses: {
            /** @description The simulated outcome. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Simulation"];
                };
            };
        };
    };
    updateExperimentStatus: {
        parameters: {
            query?: never;
            header?: {
                /** @description Applies the change only if this is still the ETag of the experiment; otherwise 412. */
                "If-Match"?: string;
            };
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The experiment's id. */
                test_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StatusBody"];
            };
        };
        responses: {
            /** @description The new status. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusUpdated"];
                };
            };
        };
    };
    stopServing: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 printable ASCII characters, not beginning or ending with a space. For a day, a repeated request gets the first successful response again. */
                "Idempotency-Key"?: string;
                /** @description Applies the change only if this is still the ETag of the experiment; otherwise 412. */
                "If-Match"?: string;
            };
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The experiment's id. */
                test_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No winner is served any more. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServingStopped"];
                };
            };
        };
    };
    listSuspects: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The experiment's id. */
                test_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The suspects. None is excluded yet. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuspectList"];
                };
            };
        };
    };
    getTimeseries: {
        parameters: {
            query?: {
                /** @description As in the result. */
                end_date?: string;
                /** @description As in the result. */
                epoch?: string;
                /** @description As in the result. */
                filter_by?: string;
                /** @description As in the result. */
                goal_key?: string;
                /** @description As in the result. */
                report_phase?: string;
                /** @description As in the result, like the other parameters. */
                start_date?: string;
                /** @description As in the result. */
                tz?: string;
            };
            header?: never;
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The experiment's id. */
                test_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A point per day and variant. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TimeseriesAnswer"];
                };
            };
        };
    };
    getWatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The experiment's id. */
                test_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whether the person watches the experiment, and the number of watchers. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WatchAnswer"];
                };
            };
        };
    };
    watchExperiment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The experiment's id. */
                test_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The person watches the experiment. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WatchAnswer"];
                };
            };
        };
    };
    unwatchExperiment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The experiment's id. */
                test_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The person does not watch the experiment. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WatchAnswer"];
                };
            };
        };
    };
    listExperiments: {
        parameters: {
            query?: {
                /** @description Page size; 50 unless given, at most 500. Larger values count as 500. */
                limit?: number;
                /** @description Experiments to skip. */
                offset?: number;
            };
            header?: never;
            path: {
                /** @description The project's key. */
                project_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Newest created first, then highest id. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExperimentList"];
                };
            };
        };
    };
    createGoal: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 printable ASCII characters, not beginning or ending with a space. For a day, a repeated request gets the first successful response again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project's key. */
                project_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GoalBody"];
            };
        };
        responses: {
            /** @description The goal was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GoalChanged"];
                };
            };
        };
    };
    getGoal: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The goal's id. */
                goal_profile_id: number;
                /** @description The project's key. */
                project_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The goal, with a strong ETag. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GoalAnswer"];
                };
            };
        };
    };
    deleteGoal: {
        parameters: {
            query?: never;
            header?: {
                /** @description Applies the change only if this is still the ETag of the goal; otherwise 412. */
                "If-Match"?: string;
            };
            path: {
                /** @description The goal's id. */
                goal_profile_id: number;
                /** @description The project's key. */
                project_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GoalDeleted"];
                };
            };
        };
    };
    updateGoal: {
        parameters: {
            query?: never;
            header?: {
                /** @description Applies the change only if this is still the ETag of the goal; otherwise 412. */
                "If-Match"?: string;
            };
            path: {
                /** @description The goal's id. */
                goal_profile_id: number;
                /** @description The project's key. */
                project_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GoalPatch"];
            };
        };
        responses: {
            /** @description All changes were applied. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GoalChanged"];
                };
            };
        };
    };
    getGoalActivity: {
        parameters: {
            query?: {
                /** @description Number of days, including today; 14 unless given. */
                days?: number;
            };
            header?: never;
            path: {
                /** @description The goal's id. */
                goal_profile_id: number;
                /** @description The project's key. */
                project_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Day by day. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GoalActivity"];
                };
            };
        };
    };
    getGoalHistory: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description Page size; 20 unless given, at most 100. Larger values count as 100. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The goal's id. */
                goal_profile_id: number;
                /** @description The project's key. */
                project_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["History"];
                };
            };
        };
    };
    restoreGoal: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 printable ASCII characters, not beginning or ending with a space. For a day, a repeated request gets the first successful response again. */
                "Idempotency-Key"?: string;
                /** @description Applies the change only if this is still the ETag of the goal; otherwise 412. */
                "If-Match"?: string;
            };
            path: {
                /** @description The goal's id. */
                goal_profile_id: number;
                /** @description The project's key. */
                project_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RestoreBody"];
            };
        };
        responses: {
            /** @description Restored. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Restored"];
                };
            };
        };
    };
    listGoals: {
        parameters: {
            query?: {
                /** @description Page size; 50 unless given, at most 500. Larger values count as 500. */
                limit?: number;
                /** @description Goals to skip. */
                offset?: number;
            };
            header?: never;
            path: {
                /** @description The project's key. */
                project_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GoalList"];
                };
            };
        };
    };
    listHypotheses: {
        parameters: {
            query?: {
                /** @description Whether to also return archived hypotheses; true, false, 1 or 0. */
                include_archived?: boolean;
                /** @description Page size; 50 unless given, at most 200. Larger values count as 200. */
                limit?: number;
                /** @description Hypotheses to skip. */
                offset?: number;
                /** @description Only hypotheses whose observation, problem or solution contains this text, in any letter case. */
                search?: string;
            };
            header?: never;
            path: {
                /** @description The project's key. */
                project_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Newest update first, then highest id. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HypothesisList"];
                };
            };
        };
    };
    createHypothesis: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 printable ASCII characters, not beginning or ending with a space. For a day, a repeated request gets the first successful response again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project's key. */
                project_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["HypothesisBody"];
            };
        };
        responses: {
            /** @description The hypothesis was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HypothesisCreated"];
                };
            };
        };
    };
    listHypothesisSlugs: {
        parameters: {
            query?: {
                /** @description Only hypotheses with a greater id; `next_after` of the previous page. */
                after?: number;
                /** @description Page size; 500 unless given, at most 1000. Larger values count as 1000. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The project's key. */
                project_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Lowest id first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HypothesisSlugs"];
                };
            };
        };
    };
    getHypothesis: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The hypothesis's id. */
                hypothesis_id: number;
                /** @description The project's key. */
                project_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The hypothesis, with a strong ETag. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HypothesisAnswer"];
                };
            };
        };
    };
    updateHypothesis: {
        parameters: {
            query?: never;
            header?: {
                /** @description Applies the change only if this is still the ETag of the hypothesis; otherwise 412. */
                "If-Match"?: string;
            };
            path: {
                /** @description The hypothesis's id. */
                hypothesis_id: number;
                /** @description The project's key. */
                project_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["HypothesisPatch"];
            };
        };
        responses: {
            /** @description All changes were applied. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HypothesisChanged"];
                };
            };
        };
    };
    listHypothesisComments: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description Page size; 50 unless given, at most 200. Larger values count as 200. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The hypothesis's id. */
                hypothesis_id: number;
                /** @description The project's key. */
                project_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommentList"];
                };
            };
        };
    };
    createHypothesisComment: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 printable ASCII characters, not beginning or ending with a space. For a day, a repeated request gets the first successful response again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The hypothesis's id. */
                hypothesis_id: number;
                /** @description The project's key. */
                project_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CommentBody"];
            };
        };
        responses: {
            /** @description The comment was stored. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommentCreated"];
                };
            };
        };
    };
    getHypothesisHistory: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description Page size; 20 unless given, at most 100. Larger values count as 100. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The hypothesis's id. */
                hypothesis_id: number;
                /** @description The project's key. */
                project_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["History"];
                };
            };
        };
    };
    restoreHypothesis: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 printable ASCII characters, not beginning or ending with a space. For a day, a repeated request gets the first successful response again. */
                "Idempotency-Key"?: string;
                /** @description Applies the change only if this is still the ETag of the hypothesis; otherwise 412. */
                "If-Match"?: string;
            };
            path: {
                /** @description The hypothesis's id. */
                hypothesis_id: number;
                /** @description The project's key. */
                project_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RestoreBody"];
            };
        };
        responses: {
            /** @description Restored. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Restored"];
                };
            };
        };
    };
    getInstall: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's key. */
                project_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Pages and servers that sent events recently. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Install"];
                };
            };
        };
    };
    streamVisitor: {
        parameters: {
            query: {
                /** @description The visitor's id on the page: `localStorage.muriel_id` in its console, with the name of the page's API in place of `muriel`. */
                visitor: string;
            };
            header?: never;
            path: {
                /** @description The project's key. */
                project_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A stream of messages. The data of each is this JSON. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["LiveMessage"];
                };
            };
        };
    };
    evaluateFlags: {
        parameters: {
            query?: never;
            header?: {
                /** @description Returns 304 without a body if this is still the ETag. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The project's key. */
                project_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EvaluationRequest"];
            };
        };
        responses: {
            /** @description Every experiment that is live or serves a winner, with an ETag. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Evaluations"];
                };
            };
            /** @description The result in If-None-Match is the current one. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    evaluateFlag: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The experiment's key. */
                experiment_key: string;
                /** @description The project's key. */
                project_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EvaluationRequest"];
            };
        };
        responses: {
            /** @description The visitor's variant, with the reason. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Evaluation"];
                };
            };
        };
    };
    listProjectPeople: {
        parameters: {
            query?: {
                /** @description Maximum number of people; 20 unless given, at most 100. Larger values count as 100. */
                limit?: number;
                /** @description Only people whose name contains this text, in any letter case. */
                search?: string;
            };
            header?: never;
            path: {
                /** @description The project's key. */
                project_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The people. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectPeople"];
                };
            };
        };
    };
    listProposals: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description Page size; 20 unless given, at most 100. Larger values count as 100. */
                limit?: number;
                /** @description Only proposals in this state: `open`, `approved`, `rejected` or `withdrawn`. */
                state?: string;
            };
            header?: never;
            path: {
                /** @description The project's key. */
                project_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProposalList"];
                };
            };
        };
    };
    approveProposal: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 printable ASCII characters, not beginning or ending with a space. For a day, a repeated request gets the first successful response again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The proposal's id. */
                proposal_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DecisionBody"];
            };
        };
        responses: {
            /** @description The change was made. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProposalDecided"];
                };
            };
        };
    };
    rejectProposal: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 printable ASCII characters, not beginning or ending with a space. For a day, a repeated request gets the first successful response again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The proposal's id. */
                proposal_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DecisionBody"];
            };
        };
        responses: {
            /** @description Nothing was changed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProposalDecided"];
                };
            };
        };
    };
    withdrawProposal: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 printable ASCII characters, not beginning or ending with a space. For a day, a repeated request gets the first successful response again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The proposal's id. */
                proposal_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DecisionBody"];
            };
        };
        responses: {
            /** @description Nothing was changed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProposalDecided"];
                };
            };
        };
    };
    getProjectSettings: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's key. */
                project_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The settings. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectSettingsAnswer"];
                };
            };
        };
    };
    updateProjectSettings: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's key. */
                project_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProjectSettingsPatch"];
            };
        };
        responses: {
            /** @description The new settings. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectSettingsAnswer"];
                };
            };
        };
    };
    revokeShare: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The share's id. */
                share_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The link was revoked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShareRevoked"];
                };
            };
        };
    };
    getVisitorJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The id of the deletion. */
                visitor_job_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Progress of each node. The job stays on record after it is done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VisitorJobAnswer"];
                };
            };
        };
    };
    getVisitorData: {
        parameters: {
            query?: {
                /** @description Position to continue from: the `cursor` of the previous response. The beginning unless given. */
                cursor?: string;
                /** @description Maximum number of events in a response; 100 unless given, at most 1000. Larger values count as 1000. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The visitor's id, percent-encoded. */
                visitor_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Oldest first. An unknown visitor has no events. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VisitorEvents"];
                };
            };
        };
    };
    deleteVisitorData: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The visitor's id, percent-encoded. */
                visitor_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deletion is recorded and will be carried out. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VisitorJobAnswer"];
                };
            };
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 printable ASCII characters, not beginning or ending with a space. For a day, a repeated request gets the first successful response again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project's key. */
                project_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookBody"];
            };
        };
        responses: {
            /** @description The webhook was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookCreated"];
                };
            };
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The webhook's id. */
                webhook_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeleted"];
                };
            };
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The webhook's id. */
                webhook_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookPatch"];
            };
        };
        responses: {
            /** @description All changes were applied. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookChanged"];
                };
            };
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description Page size; 50 unless given, at most 500. Larger values count as 500. */
                limit?: number;
                /** @description Deliveries to skip. */
                offset?: number;
            };
            header?: never;
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The webhook's id. */
                webhook_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryList"];
                };
            };
        };
    };
    resendWebhookDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 printable ASCII characters, not beginning or ending with a space. For a day, a repeated request gets the first successful response again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The delivery's id. */
                delivery_id: number;
                /** @description The project's key. */
                project_key: string;
                /** @description The webhook's id. */
                webhook_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The message was queued. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryQueued"];
                };
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 printable ASCII characters, not beginning or ending with a space. For a day, a repeated request gets the first successful response again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The webhook's id. */
                webhook_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Messages carry signatures of both secrets from now on. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookRotated"];
                };
            };
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 printable ASCII characters, not beginning or ending with a space. For a day, a repeated request gets the first successful response again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project's key. */
                project_key: string;
                /** @description The webhook's id. */
                webhook_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The message was queued. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryQueued"];
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's key. */
                project_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookList"];
                };
            };
        };
    };
    listProjects: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The projects. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectList"];
                };
            };
        };
    };
    createProject: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProjectBody"];
            };
        };
        responses: {
            /** @description The project was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectCreated"];
                };
            };
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Who is signed in. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionAnswer"];
                };
            };
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignInBody"];
            };
        };
        responses: {
            /** @description The person is signed in. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionAnswer"];
                };
            };
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session was ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedOut"];
                };
            };
        };
    };
    getSignInMethods: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sign-in methods of this server. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInMethods"];
                };
            };
        };
    };
    finishOidcSignIn: {
        parameters: {
            query?: {
                /** @description The provider's authorization code. */
                code?: string;
                /** @description The `state` with which the sign-in began. */
                state?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Redirects to the dashboard. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    beginOidcSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Redirects to the provider. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    signInWithPasskey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasskeySignInBody"];
            };
        };
        responses: {
            /** @description The person is signed in. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionAnswer"];
                };
            };
        };
    };
    beginPasskeySignIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Options for `navigator.credentials`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyOptions"];
                };
            };
        };
    };
}
