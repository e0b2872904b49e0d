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
         * Takes events of one visitor.
         * @description Public; with a bearer key (scope `write`) the request is believed about times
         *     and may tell its visitor's address, user agent and country.
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
         * Takes events of many visitors.
         * @description JSON lines, each a body as `sendEvents` takes it or one event with its visitor: up to 8 MiB as they are sent
         *     and 64 MiB expanded, 100,000 lines and as many events, 4 MiB a line. A line that is wrong keeps no other out. With
         *     503 a part may have been stored: send the same lines again, what is there is a `duplicate`.
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
        /** Tells where the connection comes from, for targeting by geography. */
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
        /** Gives the script of a project: the runtime with everything that its visitors can meet. */
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
        /** Gives the types of the page API and of experiments' code, for TypeScript. */
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
        /** Gives a part of the script that pages load where they want it: what a preview needs besides. */
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
        /** Gives one experiment, a draft too, to whoever has a preview link. */
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
        /** Takes what a preview of an arm found on the page, for the checklist of its experiment. */
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
        /** Gives the ruleset of a project: everything that its visitors can meet. */
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
        /** Gives the result that a link shows. Nobody has to be signed in, and parameters change nothing. */
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
        /** Gives the result that a link shows day by day. Nobody has to be signed in, and parameters change nothing. */
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
         * Lists what was done in the company, newest first: who, what, before and after.
         * @description Each entry has the hash of the one before in its own, so that a changed or missing one is found: `muriel audit verify`.
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
         * Lists what was done in the company as a table for spreadsheets, newest first.
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
         * Lists one's own inbox, newest first.
         * @description It has what happened to the experiments that one watches, comments on them, mentions, and proposals that wait for somebody
         *     who may approve them. What is of a project that one does not see any more is not listed. The last 500 entries are kept.
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
        /** Marks an entry of one's own inbox as read, or as unread. */
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
        /** Marks all of one's own inbox as read. */
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
        /** Counts what one has not read. */
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
         * Invites somebody by a link.
         * @description Nothing is sent: give the link to the person. It works once, for seven days.
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
         * Tells what a link is for.
         * @description `token` is the part of the link after `#`. A link that was used, withdrawn or has expired is 404.
         */
        get: operations["getInvitation"];
        put?: never;
        /**
         * Uses a link: makes the person, or sets the new password, and signs them in.
         * @description The answer sets the session's cookie.
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
        /** Makes an API key. The answer has it, which is shown this once. */
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
         * Lists the experiments that the caller sees, of all projects, with what there is to do about each.
         * @description A page is stable while others change experiments: one that does not change is neither left out nor repeated by going on with
         *     `next_cursor`.
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
        /** Withdraws an invitation that nobody has accepted. */
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
         * Removes a person, and ends what they had made that lets somebody in. History keeps their name.
         * @description Their sessions, invitations, links to results and previews and API keys end; the answer counts them and names the keys. Where
         *     `oidc.domains` lets people in, they come back only by a new invitation. The last owner cannot be removed.
         */
        delete: operations["removePerson"];
        options?: never;
        head?: never;
        /**
         * Changes a person's name, role or projects. Only fields that are sent change.
         * @description Everybody may change their own name; the rest needs the role admin. The last owner stays one.
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
        /** Lists one's own passkeys. */
        get: operations["listPasskeys"];
        put?: never;
        /** Enrols a passkey that the browser has made. */
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
        /** Removes one of one's own passkeys. */
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
         * Tells what a browser needs to make a passkey.
         * @description It has five minutes. Browsers make passkeys for names, not for addresses such as 127.0.0.1.
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
        /** Changes one's own password, and ends all other sessions. */
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
        /** Lists one's own sessions, and second factors that were refused. */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        /** Ends all of one's own sessions but the one that asks. */
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
        /** Ends one of one's own sessions. */
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
         * Makes a secret for an authenticator (TOTP, RFC 6238: SHA-1, 6 digits, 30 seconds).
         * @description It counts once a code of it was confirmed; one that was enrolled before counts until then.
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
        /** Enrols the authenticator whose secret was made last, and ends all other sessions. */
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
        /** Removes one's own authenticator and recovery codes. */
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
         * Shows all concluded experiments together: win rate, pace, what was learned, the lift to expect behind each result and behind
         *     the winners together, and how well hypotheses were rated.
         * @description Lifts are in percent, of each experiment's primary goal. Expected lifts are estimated from all concluded experiments of the
         *     projects that are asked for, whatever `from`, `to`, `outcome` and `search` say (docs/methods.md describes the method).
         *     Experiments that were concluded as invalid are listed and counted, and are in no rate, sum or estimate. `outcome` and
         *     `search` restrict `items` and `total` only.
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
         * Shows the `items` of the programme as a table for spreadsheets.
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
        /** Reads the project's currency rates. */
        get: operations["getCurrencyRates"];
        /** Sets the project's currency rates: orders in other currencies count in one. Results of all of its experiments follow. */
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
         * Makes an exclusion group or a holdout. Live experiments in it get fewer visitors at once, which the warnings say, and a new
         *     epoch each.
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
         * Deletes a group: its experiments have all visitors again. Where visitors of live ones move, it needs `accept_moves`, as a
         *     parameter of the query.
         */
        delete: operations["deleteExclusionGroup"];
        options?: never;
        head?: never;
        /**
         * Changes a group. Only fields that are sent change. Experiments keep as many of their visitors as possible; where visitors of
         *     live ones move, it needs `accept_moves`.
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
        /** Reports a holdout: what all its experiments did together, as those who are held out compare with everybody else. */
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
        /** Reads one experiment whole. */
        get: operations["getExperiment"];
        put?: never;
        post?: never;
        /** Deletes an experiment: it is gone from every read, and its delivery stops. */
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
        /** Puts an experiment into the archive, which the overview leaves out, or takes it out again. One that visitors meet cannot be archived. */
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
         * Says what an update would do, and changes nothing.
         * @description Body, content type and errors are those of the update; a key that may read is enough, and one with the scope `code` where
         *     the update would change code.
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
        /** Lists what to look at before an experiment starts, and what makes a start be refused. */
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
         * @description `@` and the whole name of somebody who sees the project mentions them, and so does `mentions`: they are told, and watch the
         *     experiment from then on. Those who watch it are told too.
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
         * Concludes an experiment: a person says what came out.
         * @description It becomes inactive unless an arm is to be served. The verdict of that moment and what it was computed from are kept.
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
        /** Reads how an experiment ended. */
        get: operations["getConclusion"];
        put?: never;
        post?: never;
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
         * Confirms what was changed of the plan since the first start: the clock acts on it from then on.
         * @description Results go on labelling it as exploratory.
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
        /** Tells how an experiment's traffic is shared. */
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
        /** Makes a draft that is like an experiment: with its variants, targeting, goals and settings, but no start and end date. */
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
        /** Explains what a visitor gets, step by step. */
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
        /** Lists the changes of an experiment, newest first, with what was different before and after. */
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
        /** Says how many visitors an experiment needs, and how many days that takes. */
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
        /** Gives a link per arm that shows it on the page, for seven days. */
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
        /** Proposes a change that a second person approves: the fields of an update, or a status, and why. */
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
        /** Takes a conclusion back. The experiment's status stays. */
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
         * Gives an experiment the state again that it had after an earlier change.
         * @description It is an update: fields that an update can change take their old values, with the same checks, and its status, winner and
         *     conclusion stay. `restore-preview` says what it would do.
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
        /** Says what restoring an earlier state would do, and changes nothing. */
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
        /** Reports an experiment: numbers, what they mean, and whether to trust them. */
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
        /** Reports an experiment as a table for spreadsheets, with a line for each metric, part and arm. */
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
        /** Serves a winner, whatever the experiment's status. */
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
        /** Changes to how many visitors the winner is served. */
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
        /** Makes a link with which anybody reads the result, as the query says, without signing in. */
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
         * Runs the plan of an experiment many times on made-up visitors, and tells what becomes of it.
         * @description The same as `muriel simulate --json`. It stops when nobody waits for it any more.
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
         * Starts, pauses, resumes or puts an experiment aside.
         * @description With `changes` fields change in the same step: all of it is done, or nothing.
         *
         *     With `started_at` (scope `admin`) the first start is one of the past, so that visitors of a test that ran elsewhere count.
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
    "/v2/project/{project_key}/experiment/{test_id}/timeseries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reports an experiment day by day, cumulative. */
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
        /** Tells whether one watches an experiment. */
        get: operations["getWatch"];
        /** Watches an experiment: what happens to it comes to one's inbox. */
        put: operations["watchExperiment"];
        post?: never;
        /** Stops watching an experiment. Neither comments of one's own nor mentions make one watch it again. */
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
        /** Reads one goal. */
        get: operations["getGoal"];
        put?: never;
        post?: never;
        /** Deletes a goal: experiments no longer report it, and its key is never used again. */
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
        /** Tells how often a goal was matched in the last days, in events of all visitors, and which experiments report it. */
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
        /** Lists the changes of a goal, newest first, with what was different before and after. */
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
        /** Gives a goal the state again that it had after an earlier change. */
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
        /** Reads one hypothesis. */
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
         * @description `@` and the whole name of somebody who sees the project mentions them, and so does `mentions`: they are told.
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
        /** Lists the changes of a hypothesis, newest first, with what was different before and after. */
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
        /** Gives a hypothesis the state again that it had after an earlier change. */
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
        /** Tells how to put the script on the pages of a project, and whether it is there. */
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
         * Streams the events of one visitor as they come, and what the visitor gets, with the reasons, as server-sent events.
         * @description The stream has the events that this node takes. It begins with `hello`, has a comment line every 15 seconds, and ends with
         *     `bye` after an hour or when the server stops.
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
        /** Lists the people who see a project: whom comments can mention. */
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
        /** Approves a proposal and makes its change. Nobody approves their own, and none whose experiment has changed since. */
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
        /** Rejects a proposal of somebody else. */
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
        /** Withdraws a proposal of one's own. */
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
        /** Reads a project's settings. */
        get: operations["getProjectSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Changes a project's settings. Only fields that are sent change; pages get them within a second. */
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
        /** Revokes a link. Whoever has it reads nothing from now on. */
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
        /** Tells how far a deletion of a visitor's data is. */
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
         * Reads the events of a visitor that this server took, as they are stored. Ask again with the answer's `cursor` until that
         *     is null.
         */
        get: operations["getVisitorData"];
        put?: never;
        post?: never;
        /** Deletes all data of a visitor, on every server. The answer comes at once; the visitor job tells how far it is. */
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
        /** Makes a webhook. The answer has the secret with which its messages are signed, which is shown this once. */
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
        /** Deletes a webhook with its deliveries. What waits is not sent any more. */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /** Changes a webhook. Only fields that are sent change. */
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
        /** Sends a delivery again, whatever became of it. The message keeps its id. */
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
        /** Gives a webhook a new secret. Its old one signs beside it for 24 hours. */
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
        /** Sends a message of the type `webhook.test`. How that went is among the deliveries. */
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
        /** Makes a project. */
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
        /** Tells who is signed in, and what they may do. */
        get: operations["getSession"];
        put?: never;
        /**
         * Signs a person in.
         * @description The answer sets the session's cookie. Attempts are limited per person and per network: 429 says when to go on. An unknown e-mail
         *     address and a wrong password are answered alike.
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
        /** Tells the ways to sign in to this server. */
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
         * Finishes a sign-in at the OpenID provider, which sends the browser here.
         * @description The browser goes to `/`, signed in; or to `/sign-in?error=…`, with `oidc_expired`, `oidc_failed`, `oidc_not_invited`,
         *     `oidc_busy` or `oidc_unavailable`.
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
         * Begins a sign-in at the OpenID provider: a browser goes there.
         * @description The browser keeps a cookie meanwhile, without which the sign-in cannot be finished. Where it cannot be begun, the browser
         *     goes to `/sign-in?error=…`, with `oidc_failed` or `oidc_unavailable`.
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
         * Signs a person in with a passkey, in place of password and code.
         * @description The answer sets the session's cookie.
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
         * Tells what a browser needs to sign in with a passkey.
         * @description It has five minutes. Nothing is told of who there is: the device knows its passkeys.
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
        /** @description What somebody with a link tells of themselves. `takes` of the invitation says which fields are needed. */
        AcceptBody: {
            /**
             * @description The name of the company; only for the first owner of a server without a company.
             * @example Acme
             */
            company?: string;
            /**
             * @description The e-mail address; only for the first owner.
             * @example grace@example.com
             */
            email?: string;
            /**
             * @description The person's name.
             * @example Grace Hopper
             */
            name?: string;
            /**
             * @description The password to sign in with.
             * @example correct horse battery
             */
            password: string;
        };
        /**
         * @description Who did something: a person, an API key, or the server and its command line.
         * @enum {string}
         */
        ActorKind: "person" | "key" | "system";
        /** @description Who did something. */
        ActorView: {
            /**
             * @description The person's id, the key's 8 characters, or the name of the part of the program.
             * @example Ab3dE6gH
             */
            id: string;
            /** @description What kind of actor it is. Programs and agents have a key; the clock is of the system. */
            kind: components["schemas"]["ActorKind"];
            /** @description The name of the key or the person; the id where that is not known any more. */
            name: string;
        };
        /** @description An arm beside the control. */
        AnalysisResult: {
            /**
             * Format: double
             * @description Percent of the posterior in which the arm is better.
             */
            chance_to_beat_control: number | null;
            /**
             * @description Where the posterior has the lift, in percent; for readers of the Bayesian
             *     view. Not valid under repeated looks.
             */
            credible_interval?: number[] | null;
            /**
             * Format: double
             * @description Difference to the control: in percentage points, or in units of value.
             */
            difference: number | null;
            /** @description Its lower and upper end; bounded also where the lift is not. */
            difference_interval: number[] | null;
            /**
             * Format: double
             * @description Always-valid p-value of the exact test, where conversions are rare.
             */
            exact_p_value?: number | null;
            /**
             * Format: double
             * @description Percent of lift lost on average by choosing the arm.
             */
            expected_loss: number | null;
            /**
             * Format: double
             * @description Difference over the control's mean, in percent; null where the control has none.
             */
            lift: number | null;
            /**
             * @description Its lower and upper end at the confidence threshold, in percent; valid at
             *     any time it is read. Null while there is no bound.
             */
            lift_interval: number[] | null;
            /**
             * Format: double
             * @description Always-valid p-value.
             */
            p_value: number | null;
            /**
             * Format: double
             * @description After correction over arms and metrics.
             */
            p_value_adjusted: number | null;
            /** @description Why, as a sentence. */
            reason: string;
            /**
             * Format: double
             * @description Variance over that without what was known before entry.
             */
            variance_ratio?: number | null;
            /** @description `win`, `loss`, `no_difference`, `keep_running` or `do_not_trust`. */
            verdict: string;
            /**
             * Format: int64
             * @description Visitors that were compared, of both arms.
             */
            visitors_compared: number;
        };
        /** @description An API key without its secret. */
        ApiKeyItem: {
            /**
             * Format: date-time
             * @description When it was made.
             */
            created_at: string;
            /**
             * Format: int64
             * @description The id of the person who made it, with whom it ends; null for the operator.
             */
            created_by: number | null;
            /**
             * Format: date-time
             * @description When it is refused; null for never.
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description When it was last used, to the minute; null for never.
             */
            last_used_at: string | null;
            /**
             * @description What it is for.
             * @example nightly export
             */
            name: string;
            /**
             * @description The 8 characters after `mrl_`, by which it is known.
             * @example Q2f8kX3m
             */
            prefix: string;
            /** @description The keys of the projects that it is limited to; null for every project of the company. */
            projects: string[] | null;
            /**
             * Format: date-time
             * @description When it was revoked; null for not.
             */
            revoked_at: string | null;
            /** @description What it may do. */
            scopes: components["schemas"]["ScopeName"][];
        };
        /** @description Whether an experiment is in the archive. */
        ArchiveBody: {
            /** @description true puts it there, false takes it out. */
            archived: boolean;
        };
        /** @description An experiment was put into the archive, or taken out of it. */
        ArchiveUpdated: {
            /** @description Whether it is in the archive now. */
            archived: boolean;
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Its id.
             */
            test_id: number;
        };
        /** @description An arm's share. */
        ArmShare: {
            /** @description The arm's name. */
            name: string;
            /**
             * Format: double
             * @description Percent of the visitors that enter.
             */
            traffic_weight: number;
            /** @description `"0"` for the control. */
            variant_id: string;
            /** @description `active`, or `paused` at a share of 0. */
            variant_status: components["schemas"]["ArmStatus"];
        };
        /**
         * @description `paused` at a share of 0.
         * @enum {string}
         */
        ArmStatus: "active" | "paused";
        /** @description What one visitor gets of one experiment. */
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
         * @description Why a visitor gets what it gets; docs/assignment.md explains each.
         * @enum {string}
         */
        AssignmentReason: "split" | "sticky" | "forced" | "served" | "holdout" | "disabled" | "rollout" | "excluded" | "traffic" | "targeting" | "unknown" | "audience" | "variant_gone";
        /** @description A condition on an event's attribute. */
        AttributeCondition: {
            /** @description The attribute. */
            key: string;
            /** @description How it is compared. */
            operand: components["schemas"]["Operator"];
            value?: components["schemas"]["AttributeValue"] | null;
        };
        /** @description What an event's attribute is compared with. */
        AttributeValue: string | number | boolean;
        /** @description For whom a personalization's variant is: an experiment's targeting but for `url_rule`. */
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
            /** @description What the visitor did before: all of the entries. */
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
        /** @description Who did something. */
        AuditActor: {
            /**
             * @description The person's id, the key's 8 characters, or the name of the part of the program.
             * @example 12
             */
            id: string;
            /** @description What kind of actor it was. */
            kind: components["schemas"]["ActorKind"];
            /**
             * @description The name that the person or key had then.
             * @example Ada Lovelace
             */
            name: string;
        };
        /** @description Something that was done. */
        AuditEntry: {
            /**
             * @description What was done.
             * @example update
             */
            action: string;
            /** @description Who. */
            actor: components["schemas"]["AuditActor"];
            /** @description The values that they have now; null where it was removed. */
            after: unknown;
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /**
             * @description The fields that changed, with the values they had; null where it was made. A text of more than 4 KiB is an object with
             *     its `sha256` and `bytes`.
             */
            before: unknown;
            /**
             * Format: int64
             * @description Counts the company's entries from 1, without gaps.
             */
            entry: number;
            /**
             * @description SHA-256 of this entry and the one before, in hexadecimal digits.
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            hash: string;
            /** @description To what. */
            object: components["schemas"]["AuditObject"];
            /**
             * @description The key of the project that it is in; null for what concerns the company.
             * @example prj_Q2f8kX3mD7tYwR5vB9cN1s
             */
            project_key: string | null;
        };
        /** @description What something was done to. */
        AuditObject: {
            /**
             * @description Its id.
             * @example 17
             */
            id: string;
            /**
             * @description What kind of thing it is: `experiment`, `goal`, `hypothesis`, `group`, `webhook`, `rates`, `project`, `key`, `person`,
             *     `invitation` or `session`.
             * @example experiment
             */
            kind: string;
            /**
             * @description The name that it had then; empty without one.
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
            /** @description What to send as `cursor` for the next page; null on the last one. */
            next_cursor: string | null;
            /** @description Always true. */
            success: boolean;
        };
        /** @description Why a bandit has its weights, and what it costs. Visitors count once their time to convert is over. */
        Bandit: {
            /** @description The control first. */
            arms: components["schemas"]["BanditArm"][];
            /** @description What the same number of visitors would have lost by an even split. */
            even_split: components["schemas"]["EvenSplit"];
            /**
             * Format: double
             * @description Percent of the traffic that each arm keeps at least.
             * @example 5
             */
            floor: number;
            /**
             * Format: date-time
             * @description When the clock last moved the weights; null before.
             */
            last_moved_at: string | null;
            /**
             * Format: int64
             * @description Seconds after which weights can move again; periods begin with midnight in UTC.
             */
            period_s: number;
            /**
             * @description Why the weights are what they are, or do not move yet.
             * @example Variant 1 is the best with a probability of 93.1 percent.
             */
            reason: string;
            /**
             * Format: double
             * @description What was lost by visitors who met another arm than the best, on average over what is known of the arms: in conversions,
             *     or in the unit of the value. Null until something is known of every arm.
             * @example 31.5
             */
            regret: number | null;
            /**
             * @description Where the regret is, by the experiment's confidence.
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
             * @description Percent of the probability that this arm is the best; null until something is known of every arm, and for an arm without
             *     weight.
             * @example 93.1
             */
            probability_best: number | null;
            /** @description `"0"` for the control. */
            variant_id: string;
            /**
             * Format: double
             * @description Percent of the visitors that enter.
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
            /** @description What the same number of visitors would have lost by an even split. */
            even_split: components["schemas"]["EvenSplit"];
            /**
             * Format: double
             * @description What was lost by visitors who met another arm than the best, as in `GET …/distribution`.
             * @example 31.5
             */
            regret: number;
            /**
             * @description Where the regret is, by the experiment's confidence.
             * @example [
             *       12,
             *       60.5
             *     ]
             */
            regret_interval: number[];
        };
        /** @description What became of each event of a line. */
        BodyLineTaken: {
            /**
             * Format: int64
             * @description The number of the line, from 1; blank lines count.
             */
            line: number;
            results: components["schemas"]["EventResult"][];
        };
        /** @description The arms in one part of the visitors. */
        Breakdown: {
            /** @description Which attribute. */
            dimension: string;
            /** @description It was added, changed or chosen after the plan was locked: good for ideas, and no proof. */
            exploratory?: boolean;
            /** @description Why, as a sentence. */
            exploratory_reason?: string | null;
            /** @description Whether it is everything beyond the largest 50. */
            is_rest: boolean;
            /** @description Its value; null where it is not known, and for the rest. */
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
         * @description A metric that needs no goal.
         * @enum {string}
         */
        BuiltinMetric: "bounce_rate" | "engagement";
        /** @description One visual change: {target, innerText|textContent|innerHTML|outerHTML|src|href|style|class|attributes}, {rm}, {refEl, dir, htmlBlock}, {oriEl, refEl, dir} or, in a split test, {url, relay_param}. Further keys are kept. */
        Change: Record<string, unknown>;
        /** @description Whether a change found what it changes. Each visitor counts once, with the first page of which that was told. */
        ChangeFound: {
            /** @description Its place in the variant's `data`, from 0. */
            index: number;
            /**
             * Format: int64
             * @description Of these, on whose page it found something.
             */
            matched: number;
            /**
             * Format: int64
             * @description Visitors on whose page it was due.
             */
            pages: number;
        };
        /** @description How often a change of an arm found what it changes. */
        ChangeMatched: {
            /** @description The place of the entry in the variant's `data`, from 0. */
            index: number;
            /**
             * Format: int64
             * @description Of these, on whose page it found something.
             */
            matched: number;
            /**
             * Format: double
             * @description The share of them, in percent.
             */
            matched_percent: number;
            /**
             * Format: int64
             * @description Visitors on whose page it was due.
             */
            pages: number;
        };
        /** @description What a change would do. Nothing was changed. */
        ChangePreview: {
            /** @description The fields that would change; empty when nothing would. */
            changes: components["schemas"]["FieldChange"][];
            /**
             * @description What would be exploratory, as the plan that was locked at the first start does not have it, and what else would depart
             *     from that plan, each in a sentence. Empty too where no plan was locked.
             * @example [
             *       "The goal signed_up is not in the plan that was locked at 09:00 UTC on 1 Mar 2026: it was chosen later."
             *     ]
             */
            exploratory: string[];
            /**
             * Format: double
             * @description How many of those who are in the live experiment would get another arm, or none, in percent, where nothing remembers
             *     what they were given; null when targeting changes, as it depends on who they are.
             * @example 16.67
             */
            moved_visitors_percent: number | null;
            /** @description Whether the project asks for a second person for it: then it can be proposed, and not made at once. */
            needs_approval: boolean;
            /** @description Whether a new epoch would begin, within which visitors are compared. */
            opens_epoch: boolean;
            /** @description Why it would begin. */
            reasons: components["schemas"]["Reason"][];
            /**
             * @description Arms of a started experiment that would be something else to their visitors, by `variant_id`: what they did before was
             *     by another arm.
             * @example [
             *       "1"
             *     ]
             */
            redefines: string[];
            /**
             * @description Fields with code that would be gone.
             * @example [
             *       "variants[1].customJS"
             *     ]
             */
            removed_code: string[];
            /** @description Always true. */
            success: boolean;
            /** @description What to look at, sentences that name the field. */
            warnings: string[];
        };
        /** @description A change to propose: the fields of an update, or the status to have. */
        ChangeProposal: {
            /** @description Built-in metrics to report. */
            builtin_metrics?: components["schemas"]["BuiltinMetric"][];
            /** @description Settings. */
            configuration?: components["schemas"]["Configuration"];
            /** @description Why the clock is to go by what was changed of the plan since the first start. Sent without other fields but `note`. */
            confirm_plan?: string;
            /** @description The control's label and code. */
            control?: components["schemas"]["ControlBody"];
            /** @description The same with the raw names, as an object or as text that holds one. */
            control_attr?: components["schemas"]["ControlAttributes"];
            /** @description CSS for every assigned visitor, the control's too. */
            custom_css?: string;
            /** @description JavaScript for every assigned visitor, the control's too. */
            custom_js?: string;
            /** @description Raw events to report. */
            event_metrics?: string[];
            /**
             * Format: int64
             * @description The hypothesis it came from.
             */
            hypothesis_id?: number | null;
            /** @description Why it is proposed. */
            note?: string;
            /** @description What it is to find out. */
            plan?: components["schemas"]["Plan"];
            /** @description Key of the goal that decides. */
            primary_goal_key?: string | null;
            /** @description Keys of the goals to report besides the primary one; `[]` removes them all. */
            secondary_goal_keys?: string[];
            /** @description The status to have. Sent without fields of an update. */
            status?: components["schemas"]["StatusCode"];
            /** @description Labels. */
            tags?: string[];
            /** @description For whom and where. */
            targeting?: components["schemas"]["Targeting"];
            /** @description New display name. */
            test_name?: string;
            /** @description New page for the editor; no pattern. */
            url?: string;
            /** @description The complete new set of treatments; those left out are deleted with their code. */
            variants?: components["schemas"]["VariantBody"][];
            /** @description The key that the experiment uses already; needed with `variants` when it is a pattern. */
            variants_data_key?: string;
        };
        /** @description What to look at before an experiment starts. */
        Checklist: {
            /** @description Whether it can be started: no item is blocked. */
            can_start: boolean;
            /** @description In the order in which they are best looked at. */
            items: components["schemas"]["ChecklistItem"][];
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description The experiment.
             */
            test_id: number;
        };
        /**
         * @description What is looked at before a start.
         * @enum {string}
         */
        ChecklistCheck: "lifecycle" | "approval" | "code" | "script" | "preview" | "goals" | "audience" | "weights" | "power" | "collisions";
        /** @description Something to look at. */
        ChecklistItem: {
            /** @description What is looked at. */
            check: components["schemas"]["ChecklistCheck"];
            /** @description What was found, and what to do. */
            sentence: string;
            /** @description `blocked` is what makes a start be refused; `unknown` is what there is nothing to tell from yet. */
            status: components["schemas"]["ChecklistStatus"];
        };
        /**
         * @description `blocked` is what makes a start be refused; `unknown` is what there is nothing to tell from yet.
         * @enum {string}
         */
        ChecklistStatus: "ok" | "warn" | "blocked" | "unknown";
        /**
         * @description What the clock does to an experiment.
         * @enum {string}
         */
        ClockAct: "start" | "stop" | "reweight" | "ramp";
        /**
         * @description The rule by which the clock acts; configuration has its setting.
         * @enum {string}
         */
        ClockRule: "start_date" | "end_date" | "visitors" | "conversions" | "period" | "significant" | "bandit" | "autopilot" | "guardrail" | "page_harm";
        /** @description A comment. */
        Comment: {
            /** @description By whom; a program or an agent has the kind `key`. */
            actor: components["schemas"]["ActorView"];
            /**
             * Format: date-time
             * @description When it was written.
             */
            at: string;
            /**
             * Format: int64
             * @description Identifies it.
             */
            comment_id: number;
            /** @description Whom it mentions. */
            mentions: components["schemas"]["Mention"][];
            /** @description What it says: plain text. */
            text: string;
        };
        /** @description A comment. */
        CommentBody: {
            /**
             * @description People to mention, besides those whom the text calls by `@` and their name: ids that the project's people have. Needed
             *     for a name that several people have.
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
             * @description Its id.
             */
            comment_id: number;
            /** @description Whom it mentions; they are told. */
            mentioned: components["schemas"]["Mention"][];
            /** @description Always true. */
            success: boolean;
        };
        /** @description A page of comments. */
        CommentList: {
            /** @description Newest first. */
            comments: components["schemas"]["Comment"][];
            /** @description What to pass as `cursor` for the next page; null on the last one. */
            next_cursor: string | null;
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description All comments, on all pages.
             */
            total: number;
        };
        /** @description An experiment was concluded. */
        Concluded: {
            /** @description Always 1. */
            is_completed: components["schemas"]["Flag"];
            /** @description What came out. */
            outcome: components["schemas"]["ConclusionOutcome"];
            /**
             * Format: int64
             * @description To how many percent of the visitors it is served; null without one.
             * @example 100
             */
            serving_traffic_allocation: number | null;
            /**
             * @description The arm that is served; null without one.
             * @example 1
             */
            serving_variant_id: string | null;
            /** @description Its status: 0, or what it was while a winner is served. */
            status: components["schemas"]["StatusCode"];
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Its id.
             */
            test_id: number;
        };
        /** @description How an experiment ended. */
        ConclusionAnswer: {
            conclusion: components["schemas"]["ConclusionShown"] | null;
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Its id.
             */
            test_id: number;
        };
        /** @description How an experiment ends. */
        ConclusionBody: {
            /**
             * Format: int64
             * @description The hypothesis that continues this test.
             * @example 12
             */
            follow_up_hypothesis_id?: number;
            /**
             * @description What was learned beyond this test.
             * @example Visitors on phones leave at the address.
             */
            learned?: string;
            /**
             * @description Why, in the team's words.
             * @example Fewer fields, more orders.
             */
            note: string;
            /** @description What came out. */
            outcome: components["schemas"]["ConclusionOutcome"];
            /**
             * @description Why the outcome is right although the verdict contradicts it; needed then.
             * @example A study with users said the same.
             */
            override_reason?: string;
            /**
             * @description The arm to serve from now on: `0` for the control, `1` for `Variant 1`. Without it the experiment stops.
             * @example 1
             */
            serve_variant_id?: string;
            /**
             * Format: int64
             * @description To how many percent of the visitors the arm is served; only with `serve_variant_id`.
             * @default 100
             */
            traffic_allocation?: number;
        };
        /**
         * @description How an experiment ended: a variant `won`, the control did better (`lost`), there is no difference that matters or not enough to tell (`inconclusive`), it was `stopped_early`, or its numbers cannot be used (`invalid`).
         * @enum {string}
         */
        ConclusionOutcome: "won" | "lost" | "inconclusive" | "stopped_early" | "invalid";
        /** @description How an experiment ended. */
        ConclusionShown: {
            /**
             * Format: date-time
             * @description When it was concluded.
             */
            concluded_at: string;
            /**
             * @description Who concluded it: a name.
             * @example Ada Lovelace
             */
            concluded_by: string | null;
            /**
             * Format: int64
             * @description The hypothesis that continues this test; null without one.
             * @example 12
             */
            follow_up_hypothesis_id: number | null;
            /**
             * @description What was learned beyond this test; empty for nothing.
             * @example Visitors on phones leave at the address.
             */
            learned: string;
            /** @description What the verdicts were computed from, as in results; null where no result could be computed. */
            manifest: unknown;
            /**
             * @description Why, in the team's words.
             * @example Fewer fields, more orders.
             */
            note: string;
            /** @description What came out. */
            outcome: components["schemas"]["ConclusionOutcome"];
            /**
             * @description Why the outcome is right although the verdict contradicts it; null where it does not.
             * @example A study with users said the same.
             */
            override_reason: string | null;
            /** @description The verdict on each variant at that moment, by the variant's id; null where no result could be computed. */
            verdicts: unknown;
        };
        /** @description An entry of a rule with groups: the outer list means all, the inner any. */
        Condition: {
            /** @description What is looked at. */
            criteria: string;
            /** @description How it is compared. */
            operator: components["schemas"]["Operator"];
            /**
             * @description With what, as text, also where it is a number (`"5"`). Ignored, and so null or left out, for `ex`, `nx`, `bt` and `bf`.
             * @example 5
             */
            value?: string | null;
        };
        /** @description How an experiment runs and ends. Keys that are left out return to their defaults. */
        Configuration: {
            /** @description 1 Bayesian statistics (the default), 0 frequentist. */
            bayesian?: components["schemas"]["Flag"];
            /**
             * Format: int64
             * @description Deactivate it so many days after its first start; 0 is off.
             */
            completion_after_period?: number;
            /**
             * Format: int64
             * @description Deactivate it after so many visitors have converted on the primary goal, all arms together; 0 is off.
             */
            completion_conversion?: number;
            /** @description 1: deactivate it when the verdict on the primary goal is reached and no health check fails. */
            completion_stats_significant_flag?: components["schemas"]["Flag"];
            /**
             * Format: int64
             * @description Deactivate it after so many visitors have entered, all arms together; 0 is off.
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
             * @description How changes are applied to the page: words with blanks between. `early` runs code at once, `once` changes each element once,
             *     `hydrated` has words and nodes wait for a framework, `immediate` never has them wait.
             */
            dom_change_path?: string | null;
            /** @description When it is deactivated. A date that has passed when the experiment is started ends nothing. */
            end_test_date?: components["schemas"]["Moment"];
            /**
             * @description Integrations that are told which arm a visitor met: a name, or `{"name", "settings"}`. Nothing is sent to names that
             *     are not known: they are kept, and the answer has a warning.
             */
            integration?: components["schemas"]["Integration"][];
            /** @description Serves a variant that wins by itself, to more and more visitors, and stops when it makes something worse. */
            is_autopilot?: components["schemas"]["Flag"];
            /** @description Multi-armed bandit: while the experiment is live, its weights follow the result of the primary goal. */
            is_mab?: components["schemas"]["Flag"];
            /** @description When a draft, or an inactive experiment, is started. A date that has passed when it is set starts nothing. */
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
         * @description What happens before a visitor has answered the consent question: `assumed` (recorded unless denied), `required` (nothing is decided, stored or sent), `memory` (decided and shown, not stored, sent once consent is granted).
         * @enum {string}
         */
        ConsentMode: "assumed" | "required" | "memory";
        /**
         * @description What the visitor said about being recorded.
         * @enum {string}
         */
        ConsentWord: "granted" | "denied" | "unknown";
        /** @description A visitor: `targetingKey`, known facts such as `country` and `url`, and attributes. */
        Context: {
            /** @description The visitor's id. */
            targetingKey: string;
        };
        /** @description The baseline arm. */
        Control: {
            /** @description Style that only the control gets. */
            customCSS: string;
            /** @description Code that only the control runs. */
            customJS: string;
            /** @description Label for people. */
            nickname: string;
        };
        /** @description The control's raw attributes, or text that holds them as JSON. */
        ControlAttributes: string | components["schemas"]["ControlAttributesObject"];
        /** @description The control's raw attributes. */
        ControlAttributesObject: {
            /** @description Style that only the control gets. */
            css?: string;
            /** @description Code that only the control runs. */
            js?: string;
            /** @description Label for people. */
            name?: string;
        };
        /** @description The control's label and code. */
        ControlBody: {
            /** @description Style that only the control gets; at most 512 KiB. */
            customCSS?: string;
            /** @description Code that only the control runs; at most 512 KiB. */
            customJS?: string;
            /** @description Label for people. */
            nickname?: string;
        };
        /** @description A country let in or kept out. */
        Country: {
            /** @description ISO 3166-1 alpha-2. */
            code: string;
            /** @description Display name. */
            name: string;
            /** @description In or out. */
            rule: components["schemas"]["CountryMode"];
        };
        /**
         * @description Lets in, or keeps out.
         * @enum {string}
         */
        CountryMode: "whitelist" | "blacklist";
        /** @description What one unit of a currency is worth from a day on, until the next rate of it. */
        CurrencyRate: {
            /** @description ISO 4217. */
            currency: string;
            /**
             * Format: date
             * @description The day on which it begins, in UTC.
             */
            date: string;
            /**
             * Format: double
             * @description In the currency of the table.
             */
            rate: number;
        };
        /**
         * @description A day of the week.
         * @enum {string}
         */
        Day: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday";
        /** @description What can be found by the end of a day. */
        DayForecast: {
            /**
             * Format: int64
             * @description Days since the start.
             */
            day: number;
            /**
             * Format: double
             * @description In percent; null while no lift is.
             */
            mde: number | null;
            /**
             * Format: int64
             * @description Visitors by then.
             */
            visitors: number;
        };
        /** @description What the one who decides says. */
        DecisionBody: {
            /** @description Why. */
            reason?: string;
        };
        /** @description An event on its way to a webhook. Finished deliveries are listed for 30 days. */
        Delivery: {
            /**
             * Format: date-time
             * @description When it happened.
             */
            at: string;
            /**
             * Format: int64
             * @description How often it was tried.
             */
            attempts: number;
            /**
             * Format: int64
             * @description Identifies the delivery.
             */
            delivery_id: number;
            /**
             * @description The event's type.
             * @example experiment.started
             */
            event: string;
            /**
             * Format: date-time
             * @description When it is tried next; null if it is not.
             */
            next_at: string | null;
            /**
             * @description Why the last attempt failed; null if it did not.
             * @example answered 500
             */
            reason: string | null;
            /**
             * Format: int64
             * @description The HTTP status of the last answer; null without one.
             */
            response_code: number | null;
            /** @description Whether it waits for an attempt, has arrived, or is not tried again. */
            status: components["schemas"]["DeliveryStatus"];
        };
        /** @description Deliveries of a webhook. */
        DeliveryList: {
            /** @description Deliveries in this page. */
            count: number;
            /** @description Newest first. */
            deliveries: components["schemas"]["Delivery"][];
            /** @description Always true. */
            success: boolean;
        };
        /** @description A message is on its way. */
        DeliveryQueued: {
            /**
             * Format: int64
             * @description The delivery's id.
             */
            delivery_id: number;
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description The webhook's id.
             */
            webhook_id: number;
        };
        /**
         * @description `pending` waits for an attempt, `delivered` has arrived, `failed` is not tried again.
         * @enum {string}
         */
        DeliveryStatus: "pending" | "delivered" | "failed";
        /**
         * @description A kind of device.
         * @enum {string}
         */
        Device: "desktop" | "mobile" | "tablet";
        /** @description `"equal"`, `"manual"` (the weights in force), weights, or text that holds weights as JSON. */
        Distribution: string | components["schemas"]["Weights"];
        /** @description How an experiment's traffic is shared. */
        DistributionAnswer: {
            /**
             * @description Why a bandit has these weights; present while `is_mab` is 1 and the experiment is not a personalization, and where the
             *     experiment has been live with it.
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
             * @description The experiment's id.
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
         * @description How the arms share: evenly, by chosen weights, or moved by the bandit.
         * @enum {string}
         */
        DistributionMode: "equal" | "custom" | "mab";
        /** @description How a copy differs. */
        DuplicateBody: {
            /** @description Its name; that of the original with " (copy)" unless given. */
            test_name?: string;
        };
        /** @description A copy was made. */
        Duplicated: {
            /** @description Its key. */
            experiment_key: string;
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description The id of the copy, a draft.
             */
            test_id: number;
            /** @description What its owner should look at. */
            warnings: string[];
        };
        /** @description An API key that was revoked because the person who made it was removed. */
        EndedKey: {
            /**
             * @description What it was for.
             * @example nightly export
             */
            name: string;
            /**
             * @description The 8 characters after `mrl_`, by which it is known.
             * @example Q2f8kX3m
             */
            prefix: string;
        };
        /** @description What ended when a person was removed. */
        EndedWithPerson: {
            /**
             * Format: int64
             * @description Open invitations that they had made, or that were for them.
             */
            invitations: number;
            /** @description API keys that they had made and that were in use. They are revoked: make others for the programs that used them. */
            keys: components["schemas"]["EndedKey"][];
            /**
             * Format: int64
             * @description Links that would have given them a new password.
             */
            password_links: number;
            /**
             * Format: int64
             * @description Sessions of theirs.
             */
            sessions: number;
            /**
             * Format: int64
             * @description Links to results that they had made, also with their keys.
             */
            shares: number;
        };
        /** @description Runs by what ended them. */
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
             * @description 1 for the first start.
             */
            epoch: number;
            /** @description What changed to open it. */
            reasons: components["schemas"]["Reason"][];
            /**
             * Format: date-time
             * @description When it began; it lasts until the next.
             */
            started_at: string;
            /**
             * Format: int64
             * @description Percentage of eligible visitors that enter.
             */
            traffic_allocation: number;
            /** @description Percentage of those per arm, by name. */
            weights: components["schemas"]["Weights"];
        };
        /** @description Visitors of an epoch. */
        EpochRatio: {
            /**
             * Format: double
             * @description Pearson's test of this epoch alone.
             */
            chi_squared_p_value: number | null;
            /**
             * Format: int64
             * @description Its number. Exposures that name no epoch, or one that was never reached, belong to the one of their time.
             */
            epoch: number;
            /** @description Visitors per arm by the weights. */
            expected: number[];
            /** @description Visitors per arm, the control first. */
            observed: number[];
            /**
             * Format: double
             * @description Sequential test of this epoch alone.
             */
            p_value: number | null;
        };
        /** @description The body of every error. */
        ErrorBody: {
            /** @description One of the documented codes. */
            code: string;
            /** @description A sentence for a person. */
            error: string;
            /** @description Every problem that was found, with its place. */
            errors: components["schemas"]["FieldError"][];
            /** @description Identifies the request; quote it when asking for help. */
            request_id: string;
            /** @description Always false. */
            success: boolean;
        };
        /** @description Which experiments, for which visitors. */
        EvaluateManyBody: {
            contexts: components["schemas"]["Context"][];
            /** @description All that are live or serve a winner unless given. */
            experiment_keys?: string[] | null;
        };
        /** @description What the visitor gets. */
        Evaluation: {
            /** @description The experiment's key. */
            key: string;
            metadata: components["schemas"]["EvaluationMetadata"];
            /** @description `SPLIT`, `STATIC` (a winner is served), `DEFAULT` (not included) or `DISABLED` (not live). */
            reason: string;
            /** @description `Control` or `Variant N`. */
            value: string;
            /** @description The same. */
            variant: string;
        };
        /**
         * @description What is wrong with a question.
         * @enum {string}
         */
        EvaluationErrorCode: "PARSE_ERROR" | "TARGETING_KEY_MISSING" | "INVALID_CONTEXT" | "FLAG_NOT_FOUND" | "GENERAL";
        /** @description An error of the OpenFeature Remote Evaluation Protocol. */
        EvaluationFailure: {
            errorCode: components["schemas"]["EvaluationErrorCode"];
            errorDetails: string;
            key?: string | null;
        };
        /** @description What telemetry needs. */
        EvaluationMetadata: {
            /** Format: int64 */
            epoch: number;
            /** @description Whether the visitor takes part: an exposure is due only then. */
            in_experiment: boolean;
            reason: components["schemas"]["AssignmentReason"];
            /** Format: int64 */
            test_id: number;
            /** @description Rules that only a page can check and that were passed over, by name, separated by commas. */
            unenforced: string;
            /** @description `0` is the control. */
            variant_id: string;
        };
        /** @description A question of the OpenFeature Remote Evaluation Protocol. */
        EvaluationRequest: {
            context: components["schemas"]["Context"];
        };
        /** @description Every experiment that is live or serves a winner. */
        Evaluations: {
            flags: components["schemas"]["Evaluation"][];
        };
        /** @description What an even split would have lost. */
        EvenSplit: {
            /**
             * Format: double
             * @description As the bandit's.
             * @example 104
             */
            regret: number | null;
            /**
             * @description Where it is.
             * @example [
             *       40,
             *       170
             *     ]
             */
            regret_interval: number[] | null;
        };
        /** @description One event. Which fields it has besides `id`, `type` and `at` depends on its type; those of other types are ignored. */
        EventBody: {
            /** @description The client's time; the time of arrival unless given. */
            at?: string | null;
            /** @description Of `identify`, which needs it: what is known of the visitor from now on, at most 100 texts, numbers and booleans. */
            attributes?: Record<string, unknown> | null;
            /** @description Of a `click`, which needs it: `element`, `text` or `link`. */
            by?: string | null;
            /** @description Of an `exposure`: what was known of the visitor, as texts, numbers and booleans. */
            context?: Record<string, unknown> | null;
            /** @description Of an `order`, which needs it: ISO 4217 in capitals. */
            currency?: string | null;
            /**
             * Format: int64
             * @description Of an `exposure`: the epoch that came with the decision; that of its time unless given.
             */
            epoch?: number | null;
            /** @description Of a `click` on a link, which needs it: where the link leads. */
            href?: string | null;
            /** @description A UUID made by the client, version 7 preferred; it counts once per project. */
            id: string;
            /** @description Of a `custom` event and an `order`, which need it: what goals ask for. */
            name?: string | null;
            /** @description Of an `order`: its number in your shop. Orders of one number count once. */
            order_id?: string | null;
            /** @description Any type: at most 100 texts, numbers and booleans of your own. */
            properties?: Record<string, unknown> | null;
            /**
             * Format: double
             * @description Of an `order`: how many items.
             */
            quantity?: number | null;
            /** @description Of a `pageview`: the address that led there. */
            referrer?: string | null;
            /** @description Of an `order` with a negative value: the `order_id` of the order that is paid back. */
            refund_of?: string | null;
            /** @description Any type: the visit, in the client's words. */
            session?: string | null;
            /**
             * Format: int64
             * @description Of an `exposure`, which needs it, and `health`: the experiment.
             */
            test_id?: number | null;
            /**
             * @description Of `submit`, `appear` and `script`, which need it, and of a `click` on an element or a text: the goal's value, such
             *     as a selector.
             */
            trigger?: string | null;
            type: components["schemas"]["EventType"];
            /** @description Any type: the address of the page. A `pageview` needs it. */
            url?: string | null;
            /**
             * Format: double
             * @description Of an `order`, which needs it: the amount, negative for a refund. Of `scroll` (percent) and `duration` (seconds),
             *     which need it. Of a `custom` event: any number.
             */
            value?: number | null;
            /** @description Of an `exposure`, which needs it, and `health`: `"0"` for the control, or the number of a variant, as text. */
            variant_id?: string | null;
        };
        /** @description What became of the event of a line. A line that could not be read is `invalid`. */
        EventLineTaken: {
            /** @description As it was sent; null where there is none, or one of more than 64 bytes. */
            id?: string | null;
            /**
             * Format: int64
             * @description The number of the line, from 1; blank lines count.
             */
            line: number;
            /** @description Why it is invalid. */
            message?: string | null;
            /** @description As in the results of `sendEvents`, at the first event of the batch that it is about, with the number of the others. */
            note?: string | null;
            status: components["schemas"]["EventStatus"];
        };
        /**
         * @description An event that webhooks are told.
         * @enum {string}
         */
        EventName: "experiment.started" | "experiment.stopped" | "experiment.concluded" | "experiment.reopened" | "experiment.changed" | "experiment.start_failed" | "winner.served" | "winner.stopped" | "health.failed" | "health.recovered" | "verdict.reached" | "conversion";
        /** @description What became of one event. */
        EventResult: {
            /** @description As it was sent. */
            id?: string | null;
            /** @description Why it is invalid. */
            message?: string | null;
            /**
             * @description What to know of an event that is `ok`: an exposure that is dated before the experiment first started is stored, and no
             *     result counts it; a time in the future is that of the receipt; an order number that a template left unfilled is none; a
             *     refund names no order; half of a surrogate pair or NUL became U+FFFD; or a number beyond ±2⁵³ became text.
             */
            note?: string | null;
            status: components["schemas"]["EventStatus"];
        };
        /** @description What a visitor must, or must not, have done before. */
        EventRule: {
            /** @description Conditions on it: any of the groups, all of a group. */
            attributes: components["schemas"]["AttributeCondition"][][];
            /**
             * Format: int64
             * @description How often at least; 1 unless given.
             * @default 1
             */
            min_count?: number;
            /** @description Name of the event. */
            name: string;
            /** @description Must or must not. */
            rule: components["schemas"]["Match"];
            /**
             * Format: int64
             * @description Within how many days; 0, for ever, unless given.
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
        /** @description What became of a line of a batch. */
        EventsLineTaken: components["schemas"]["BodyLineTaken"] | components["schemas"]["EventLineTaken"];
        /** @description What became of each event. */
        EventsTaken: {
            results: components["schemas"]["EventResult"][];
            success: boolean;
        };
        /**
         * @description `ok` is durable, `duplicate` was there already, `invalid` was not taken.
         * @enum {string}
         */
        EventStatus: "ok" | "duplicate" | "invalid";
        /** @description Whose events they are. */
        EventsVisitor: {
            /** @description At most 100 texts, numbers and booleans. */
            attributes?: Record<string, unknown> | null;
            /** @description With a bearer key only: ISO 3166-1 alpha-2. */
            country?: string | null;
            id: string;
            /** @description With a bearer key only. */
            ip?: string | null;
            /** @description With a bearer key only. */
            user_agent?: string | null;
        };
        /**
         * @description What happened.
         * @enum {string}
         */
        EventType: "exposure" | "pageview" | "click" | "submit" | "appear" | "scroll" | "duration" | "custom" | "order" | "script" | "identify" | "health";
        /** @description An event with its visitor. Which further fields it has depends on its type. */
        EventWithVisitor: {
            /** @description When it happened, which the key vouches for; the time of arrival unless given. */
            at?: string | null;
            consent?: components["schemas"]["ConsentWord"] | null;
            /** @description A UUID made by the client, version 7 preferred; it counts once per project. */
            id: string;
            type: components["schemas"]["EventType"];
            visitor: components["schemas"]["EventsVisitor"];
        };
        /** @description An exclusion group, whose experiments share no visitor, or a holdout, whose visitors meet none of its experiments. */
        ExclusionGroup: {
            /**
             * Format: date-time
             * @description When it was made.
             */
            created_at: string;
            /**
             * Format: int64
             * @description Identifies the group.
             */
            group_id: number;
            /** @description What it does. */
            kind: components["schemas"]["GroupKind"];
            /** @description The experiments of an exclusion group, by their slots; empty for a holdout. */
            members: components["schemas"]["ExclusionGroupMember"][];
            /**
             * @description Display name.
             * @example Checkout
             */
            name: string;
            /**
             * Format: double
             * @description Percent of the visitors whom a holdout keeps out; null for an exclusion group.
             * @example 5
             */
            percent: number | null;
            scope: components["schemas"]["HoldoutScope"] | null;
            /**
             * Format: date-time
             * @description Since when a holdout has these visitors and experiments: its result counts from then on; null for an exclusion group.
             */
            since: string | null;
        };
        /** @description An experiment of an exclusion group. Its visitors are those whose bucket, of a million, is in its slot. */
        ExclusionGroupMember: {
            /**
             * Format: int32
             * @description The first bucket of its slot.
             */
            from: number;
            /**
             * Format: double
             * @description Percent of all visitors that it gets.
             * @example 30
             */
            percent: number;
            /**
             * Format: int64
             * @description The experiment's id.
             */
            test_id: number;
            /**
             * Format: int32
             * @description The first bucket after its slot.
             */
            to: number;
        };
        /** @description An experiment whole. */
        ExperimentAnswer: {
            /** @description The experiment. */
            experiment: components["schemas"]["ExperimentDetails"];
            /** @description Always true. */
            success: boolean;
        };
        /** @description An experiment was made. */
        ExperimentCreated: {
            /**
             * Format: int64
             * @description The company that owns it.
             */
            company_id: number;
            /** @description What servers and OpenFeature call it: the given key, or one made from the name. */
            experiment_key: string;
            /**
             * Format: int64
             * @description The primary goal's id.
             */
            goal_profile_id: number | null;
            /**
             * Format: int64
             * @description The planned total of visitors that was computed, as it is live and none was given.
             */
            planned_visitors?: number | null;
            /** @description How many secondary goals it has. */
            secondary_goals_count: number;
            /** @description Its status. */
            status: components["schemas"]["StatusCode"];
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Its id.
             */
            test_id: number;
            /** @description What to look at before relying on it: sentences that name the field. */
            warnings: string[];
        };
        /** @description A new experiment. */
        ExperimentCreation: {
            /** @description Built-in metrics to report. */
            builtin_metrics?: components["schemas"]["BuiltinMetric"][];
            /** @description Settings. */
            configuration?: components["schemas"]["Configuration"];
            /** @description The control's label and code. */
            control?: components["schemas"]["ControlBody"];
            /** @description The same with the raw names, as an object or as text that holds one. */
            control_attr?: components["schemas"]["ControlAttributes"];
            /** @description CSS for every assigned visitor. */
            custom_css?: string;
            /** @description JavaScript for every assigned visitor. */
            custom_js?: string;
            /** @description Raw events to report. */
            event_metrics?: string[];
            /** @description Its permanent name; made from `test_name` unless given. */
            experiment_key?: string;
            /**
             * Format: int64
             * @description The hypothesis it came from.
             */
            hypothesis_id?: number | null;
            /** @description What it is to find out. */
            plan?: components["schemas"]["Plan"];
            /** @description The goal that decides, made or found by name and type. */
            primary_goal?: components["schemas"]["InlineGoal"];
            /** @description Key of an existing goal that decides. */
            primary_goal_key?: string | null;
            /** @description Keys of existing goals to report besides the primary one. */
            secondary_goal_keys?: string[];
            /** @description Further goals, made or found by name and type. */
            secondary_goals?: components["schemas"]["InlineGoal"][];
            /** @description 9 unless given. */
            status?: components["schemas"]["StatusCode"];
            /** @description Labels. */
            tags?: string[];
            /** @description For whom and where. */
            targeting?: components["schemas"]["Targeting"];
            /** @description Display name. */
            test_name: string;
            /** @description `abtest` unless given. */
            test_type?: components["schemas"]["TestType"];
            /** @description The page that the editor opens; no pattern. */
            url: string;
            /** @description The treatments. */
            variants: components["schemas"]["VariantBody"][];
            /** @description The page's URL unless given; a pattern for a test of many pages. */
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
             * @description The id it had.
             */
            test_id: number;
            /** @description Whether it was live, so that visitors notice. */
            was_live: boolean;
        };
        /**
         * @description An experiment with everything. Each field that PATCH takes can be sent back
         *     as it is read.
         */
        ExperimentDetails: {
            /** @description True while it is in the archive; absent otherwise. */
            archived?: boolean;
            /** @description Built-in metrics that are reported. */
            builtin_metrics: string[];
            /**
             * Format: int64
             * @description The company that owns the project.
             */
            company_id: number;
            /** @description Settings, complete. */
            configuration: components["schemas"]["Configuration"];
            /** @description The baseline. */
            control: components["schemas"]["Control"];
            /**
             * Format: date-time
             * @description When it was made.
             */
            created_at: string;
            /** @description CSS for every assigned visitor. */
            custom_css: string;
            /** @description JavaScript for every assigned visitor. */
            custom_js: string;
            /** @description Periods in which assignment did not change, first one first. */
            epochs: components["schemas"]["Epoch"][];
            /** @description Raw events that are reported. */
            event_metrics: string[];
            /** @description Its permanent name for server-side use. */
            experiment_key: string;
            hypothesis?: components["schemas"]["HypothesisExcerpt"] | null;
            /**
             * Format: int64
             * @description The hypothesis it came from.
             */
            hypothesis_id: number | null;
            /** @description What became of each entry of `configuration.integration` that has an effect. */
            integrations: components["schemas"]["IntegrationState"][];
            /** @description 1 when formally concluded from the dashboard. */
            is_completed: components["schemas"]["Flag"];
            /** @description 1 while a winner is served. */
            is_deploy: components["schemas"]["Flag"];
            /** @description What it is to find out. */
            plan: components["schemas"]["Plan"];
            primary_goal: components["schemas"]["Goal"] | null;
            /** @description Its key. */
            primary_goal_key: string | null;
            /** @description The project's key. */
            project_key: string;
            /** @description What the clock will do, and did. */
            schedule: components["schemas"]["ExperimentSchedule"];
            /** @description Keys of further goals, in order. */
            secondary_goal_keys: string[];
            /**
             * Format: int64
             * @description To how many percent of the visitors the winner is served; absent while
             *     none is.
             */
            serving_traffic_allocation?: number | null;
            /**
             * @description The arm that is served, whatever its rollout; null after serving stopped;
             *     absent while none was ever served.
             */
            serving_variant_id?: string | null;
            /** @description 9 draft, 1 live, 0 inactive. */
            status: components["schemas"]["StatusCode"];
            /** @description Labels. */
            tags: string[];
            /** @description Targeting, complete; empty lists restrict nothing. */
            targeting: components["schemas"]["Targeting"];
            /**
             * Format: int64
             * @description Identifies the experiment.
             */
            test_id: number;
            /** @description Display name. */
            test_name: string;
            /** @description What kind of test it is. */
            test_type: components["schemas"]["TestType"];
            /**
             * Format: date-time
             * @description When it last changed.
             */
            updated_at: string;
            /** @description The page that the editor opens. */
            url: string;
            /** @description The treatments, `Variant 1` first. */
            variants: components["schemas"]["Variant"][];
            /** @description The key under which the variants are kept. */
            variants_data_key: string;
        };
        /** @description The id and the key of an experiment. */
        ExperimentKey: {
            /** @description Its permanent name for server-side use and in files. */
            experiment_key: string;
            /**
             * Format: int64
             * @description Identifies the experiment.
             */
            test_id: number;
        };
        /** @description A page of ids and keys. */
        ExperimentKeys: {
            /** @description Experiments in this page. */
            count: number;
            /** @description Lowest id first. */
            experiments: components["schemas"]["ExperimentKey"][];
            /**
             * Format: int64
             * @description What to pass as `after` for the next page; null when there is none.
             */
            next_after: number | null;
            /** @description Always true. */
            success: boolean;
        };
        /** @description A page of a company's experiments. */
        ExperimentList: {
            /**
             * Format: int64
             * @description The company that owns the project.
             */
            company_id: number;
            /** @description Experiments in this page. */
            count: number;
            /** @description Newest created first, then highest id. */
            experiments: components["schemas"]["ExperimentSummary"][];
            /** @description Always true. */
            success: boolean;
        };
        /**
         * @description Changes to an experiment. Only fields that are sent change; a field that is
         *     sent takes the new value whole.
         */
        ExperimentPatch: {
            /** @description Built-in metrics to report. */
            builtin_metrics?: components["schemas"]["BuiltinMetric"][];
            /** @description Settings. */
            configuration?: components["schemas"]["Configuration"];
            /** @description The control's label and code. */
            control?: components["schemas"]["ControlBody"];
            /** @description The same with the raw names, as an object or as text that holds one. */
            control_attr?: components["schemas"]["ControlAttributes"];
            /** @description CSS for every assigned visitor, the control's too. */
            custom_css?: string;
            /** @description JavaScript for every assigned visitor, the control's too. */
            custom_js?: string;
            /** @description Raw events to report. */
            event_metrics?: string[];
            /**
             * Format: int64
             * @description The hypothesis it came from.
             */
            hypothesis_id?: number | null;
            /** @description What it is to find out. */
            plan?: components["schemas"]["Plan"];
            /** @description Key of the goal that decides. */
            primary_goal_key?: string | null;
            /** @description Keys of the goals to report besides the primary one; `[]` removes them all. */
            secondary_goal_keys?: string[];
            /** @description Labels. */
            tags?: string[];
            /** @description For whom and where. */
            targeting?: components["schemas"]["Targeting"];
            /** @description New display name. */
            test_name?: string;
            /** @description New page for the editor; no pattern. */
            url?: string;
            /** @description The complete new set of treatments; those left out are deleted with their code. */
            variants?: components["schemas"]["VariantBody"][];
            /** @description The key that the experiment uses already; needed with `variants` when it is a pattern. */
            variants_data_key?: string;
        };
        /** @description What the clock will do to an experiment, and did last. */
        ExperimentSchedule: {
            last: components["schemas"]["LastClockAct"] | null;
            next: components["schemas"]["NextClockAct"] | null;
        };
        /** @description An experiment as lists show it. */
        ExperimentSummary: {
            /**
             * Format: date-time
             * @description When it was made: ISO 8601, UTC, milliseconds.
             */
            created_at: string;
            hypothesis?: components["schemas"]["HypothesisExcerpt"] | null;
            /**
             * Format: int64
             * @description The hypothesis it came from.
             */
            hypothesis_id: number | null;
            /** @description 1 when formally concluded from the dashboard. */
            is_completed: components["schemas"]["Flag"];
            /** @description 1 while a winner is served. */
            is_deploy: components["schemas"]["Flag"];
            /**
             * @description The arm that is served at 100 %; null while its rollout is lower and after
             *     serving stopped; absent while none was ever served.
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
             * @description When it last changed.
             */
            updated_at: string;
            /** @description The tested page. */
            url: string;
        };
        /** @description An experiment was changed. */
        ExperimentUpdated: {
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Its id.
             */
            test_id: number;
        };
        /** @description Every step of a decision. */
        Explanation: {
            /**
             * @description Why the script on pages does nothing on the context's `url` whatever was decided, in words: the experiment takes
             *     place elsewhere. Absent where it takes place there, and where no `url` is known.
             */
            elsewhere?: string;
            /**
             * Format: int64
             * @description The epoch that the decision belongs to.
             */
            epoch: number;
            /** @description Its name in code. */
            experiment_key: string;
            /** @description Whether the visitor takes part and is counted. */
            in_experiment: boolean;
            /** @description Why, in a word. */
            reason: components["schemas"]["AssignmentReason"];
            /** @description Every check, in the order in which they are made. */
            steps: components["schemas"]["ExplanationStep"][];
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description The experiment's id.
             */
            test_id: number;
            /** @description Rules that only a page can check and that were passed over, by name. */
            unenforced: string[];
            /** @description `Control` or `Variant N`; null where the visitor is not included. */
            variant?: string | null;
            /** @description The visitor's id. */
            visitor: string;
        };
        /** @description One check. */
        ExplanationStep: {
            /** @description What was looked at: `status`, `traffic`, `variant`, or a rule of targeting by its name. */
            check: string;
            /** @description In words. */
            detail: string;
            /** @description How it went. */
            outcome: components["schemas"]["StepOutcome"];
        };
        /** @description An arm that was added or changed after the plan was locked. */
        ExploratoryArm: {
            /** @description Why it is exploratory, as a sentence. */
            exploratory_reason: string;
            /** @description Identifies it. */
            variant_id: string;
        };
        /** @description A field that would change. */
        FieldChange: {
            /** @description What it would be; null where it would not be there. */
            after: unknown;
            /** @description What it is; null where it is not there. */
            before: unknown;
            /**
             * @description Its path in the experiment's details.
             * @example configuration.traffic_allocation
             */
            field: string;
        };
        /** @description What is wrong with one value. */
        FieldError: {
            /** @description Its place: `variants[1].name`. */
            field: string;
            /** @description What is wrong, continuing the field's name. */
            message: string;
        };
        /**
         * @description 0 or 1.
         * @enum {integer}
         */
        Flag: 0 | 1;
        /** @description Where a connection comes from. */
        GeographyAnswer: {
            /** @description `Berlin (Berlin)`. */
            city?: string | null;
            /** @description ISO 3166-1 alpha-2. */
            country?: string | null;
            /** @description `California (US)`. */
            region?: string | null;
        };
        /** @description A goal. */
        Goal: {
            /**
             * Format: double
             * @description Most value that one visitor contributes.
             */
            cap: number | null;
            /**
             * Format: date-time
             * @description When it was made.
             */
            created_at: string;
            /**
             * @description The currency that orders count in (ISO 4217). When null, it is that of most buyers whose orders were sent
             *     with a key, and then of most buyers.
             */
            currency: string | null;
            /** @description The page on which its element was picked. */
            element_url: string | null;
            /** @description Its permanent key. */
            goal_key: string;
            /** @description Display name. */
            goal_name: string;
            /**
             * Format: int64
             * @description Identifies the goal.
             */
            goal_profile_id: number;
            /** @description What it is for. */
            goal_purpose: components["schemas"]["GoalPurpose"];
            /** @description What counts. */
            goal_type: components["schemas"]["GoalType"];
            /** @description The value that the type looks for, as it was sent. */
            goal_value: components["schemas"]["GoalValue"];
            /**
             * Format: double
             * @description Most that one order can plausibly be worth; larger ones do not count. When null, orders that were sent
             *     without a key count up to ten times the largest order that was sent with one.
             */
            max_order_value: number | null;
            /**
             * Format: int64
             * @description Events needed for a conversion.
             */
            min_count: number;
            /**
             * Format: int64
             * @description Days after exposure within which an event counts; null for the whole test.
             */
            window_days: number | null;
        };
        /** @description How a goal did in the last days. */
        GoalActivity: {
            /** @description The last days in UTC, the earliest first; today is the last one and not over. */
            days: components["schemas"]["GoalDay"][];
            /** @description Its key. */
            goal_key: string;
            /**
             * Format: int64
             * @description The goal.
             */
            goal_profile_id: number;
            /**
             * Format: date-time
             * @description When it was matched last within those days; null when it was not.
             */
            last_seen: string | null;
            /** @description Always true. */
            success: boolean;
            /** @description The experiments that report it, lowest id first. */
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
             * @description Most value that one visitor contributes.
             */
            cap?: number | null;
            /** @description The currency that orders count in (ISO 4217). */
            currency?: string | null;
            /** @description The page on which its element was picked. */
            element_url?: string | null;
            /** @description Its permanent key; made from the name unless given. */
            goal_key?: string;
            /** @description Display name. */
            goal_name: string;
            /** @description `sell` unless given. */
            goal_purpose?: components["schemas"]["GoalPurpose"];
            /** @description What counts. */
            goal_type: components["schemas"]["GoalType"];
            /** @description The value that the type looks for. */
            goal_value: components["schemas"]["GoalValue"];
            /**
             * Format: double
             * @description Most that one order can plausibly be worth; larger ones do not count.
             */
            max_order_value?: number | null;
            /**
             * Format: int64
             * @description Events needed for a conversion; 1 unless given.
             */
            min_count?: number;
            /**
             * Format: int64
             * @description Days after exposure within which an event counts.
             */
            window_days?: number | null;
        };
        /** @description A goal was made or changed. */
        GoalChanged: {
            /**
             * Format: int64
             * @description The company that owns the project.
             */
            company_id: number;
            /** @description Its key. */
            goal_key: string;
            /**
             * Format: int64
             * @description Its id.
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
             * @description Events that matched, of visitors who are not bots.
             */
            matches: number;
            /**
             * Format: int64
             * @description How many visitors they are of.
             */
            visitors: number;
        };
        /** @description A goal was deleted. */
        GoalDeleted: {
            /** @description Always true. */
            deleted: boolean;
            /**
             * Format: int64
             * @description The id it had.
             */
            goal_profile_id: number;
            /** @description Always true. */
            success: boolean;
        };
        /** @description A goal, in short. */
        GoalExcerpt: {
            /** @description Its permanent name. */
            goal_key: string;
            /** @description Display name. */
            goal_name: string;
            /** @description What it counts. */
            goal_type: string;
            /** @description The value of that type: text, or a number. */
            goal_value: components["schemas"]["GoalValue"];
        };
        /** @description A page of a project's goals. */
        GoalList: {
            /**
             * Format: int64
             * @description The company that owns the project.
             */
            company_id: number;
            /** @description Goals in this page. */
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
             * @description Most value that one visitor contributes.
             */
            cap?: number | null;
            /** @description The currency that orders count in (ISO 4217). */
            currency?: string | null;
            /** @description The page on which its element was picked. */
            element_url?: string | null;
            /** @description Display name. */
            goal_name?: string;
            /** @description What it is for. */
            goal_purpose?: components["schemas"]["GoalPurpose"];
            /** @description What counts. */
            goal_type?: components["schemas"]["GoalType"];
            /** @description The value that the type looks for. */
            goal_value?: components["schemas"]["GoalValue"];
            /**
             * Format: double
             * @description Most that one order can plausibly be worth; larger ones do not count.
             */
            max_order_value?: number | null;
            /**
             * Format: int64
             * @description Events needed for a conversion.
             */
            min_count?: number;
            /**
             * Format: int64
             * @description Days after exposure within which an event counts.
             */
            window_days?: number | null;
        };
        /**
         * @description What a goal is for.
         * @enum {string}
         */
        GoalPurpose: "sell" | "engage" | "generate";
        /**
         * @description Whether a goal decides, or is a further one.
         * @enum {string}
         */
        GoalRole: "primary" | "secondary";
        /** @description An experiment that reports a goal. */
        GoalTest: {
            /** @description Whether the goal decides, or is a further one. */
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
         * @description What counts as a conversion.
         * @enum {string}
         */
        GoalType: "pageview" | "pageviewExact" | "pageviewWildcard" | "pageviewRegex" | "clickOnElement" | "clickOnText" | "externalLink" | "formSubmit" | "elementAppears" | "scrolling" | "duration" | "event" | "revenue" | "script";
        /** @description What a goal looks for: text, or an integer for `scrolling` and `duration`. */
        GoalValue: string | number;
        /**
         * @description How a health check went; `unknown` has nothing to look at.
         * @enum {string}
         */
        GradeWord: "ok" | "warn" | "fail" | "unknown";
        /** @description A new group. */
        GroupBody: {
            /** @description What it does; permanent. */
            kind: components["schemas"]["GroupKind"];
            /** @description The experiments of an exclusion group, which needs them: together at most 100 percent. */
            members?: components["schemas"]["GroupMemberBody"][];
            /**
             * @description Display name.
             * @example Checkout
             */
            name: string;
            /**
             * Format: double
             * @description Percent of the visitors who are held out; a holdout needs it. At most two decimals.
             * @example 5
             */
            percent?: number;
            /** @description Which experiments visitors of a holdout do not meet; a holdout needs it. */
            scope?: components["schemas"]["HoldoutScope"];
        };
        /** @description A group was made or changed. */
        GroupChanged: {
            /**
             * Format: int64
             * @description Its id.
             */
            group_id: number;
            /** @description Always true. */
            success: boolean;
            /** @description Which visitors of which experiments meet something else now, a sentence each. */
            warnings: string[];
        };
        /** @description A group was deleted. */
        GroupDeleted: {
            /** @description Always true. */
            deleted: boolean;
            /**
             * Format: int64
             * @description The id it had.
             */
            group_id: number;
            /** @description Always true. */
            success: boolean;
            /** @description Which visitors of which experiments meet something else now, a sentence each. */
            warnings: string[];
        };
        /**
         * @description `exclusion` keeps experiments apart, `holdout` keeps visitors out of experiments.
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
        /** @description An experiment that is to be in an exclusion group. */
        GroupMemberBody: {
            /**
             * Format: double
             * @description Percent of all visitors that it gets. At most two decimals.
             * @example 30
             */
            percent: number;
            /**
             * Format: int64
             * @description The experiment's id.
             */
            test_id: number;
        };
        /** @description Changes to a group. */
        GroupPatch: {
            /** @description Whether visitors of live experiments may be moved; false unless sent. */
            accept_moves?: boolean;
            /** @description The complete new list of experiments of an exclusion group. */
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
            /** @description Which experiments visitors of a holdout do not meet. */
            scope?: components["schemas"]["HoldoutScope"];
        };
        /** @description Whether the data can be trusted. */
        Health: {
            /** @description Whether the arms resemble each other at entry. */
            balance: components["schemas"]["HealthCheck"];
            before_entry?: components["schemas"]["HealthCheck"] | null;
            /** @description Whether exposures are dated before the first start; they count nowhere. */
            before_start: components["schemas"]["HealthCheck"];
            /** @description Suspected programs, which are left out. */
            bots: components["schemas"]["HealthCheck"];
            /** @description Whether the changes of the arms found on pages what they change: an arm that changes nothing looks as if it had no effect. */
            changes: components["schemas"]["HealthCheck"];
            /** @description Whether visitors stayed in their arm. When it fails, every verdict is `do_not_trust`. */
            crossovers: components["schemas"]["HealthCheck"];
            currency?: components["schemas"]["HealthCheck"] | null;
            /** @description Whether weights changed on the way. */
            epochs: components["schemas"]["HealthCheck"];
            /**
             * @description Whether the event log could be read up to the result: events of blocks that are
             *     damaged or missing are not counted.
             */
            event_log: components["schemas"]["HealthCheck"];
            /** @description Whether built-in metrics got worse. */
            guardrails: components["schemas"]["HealthCheck"];
            interaction?: components["schemas"]["HealthCheck"] | null;
            lost_events?: components["schemas"]["HealthCheck"] | null;
            /** @description Whether there is enough to judge from. */
            minimum_data: components["schemas"]["HealthCheck"];
            orders?: components["schemas"]["HealthCheck"] | null;
            /**
             * @description Whether other servers on the same database took events that are missing here.
             *     When it fails, every verdict is `do_not_trust`.
             */
            other_nodes: components["schemas"]["HealthCheck"];
            /**
             * @description Whether the pages of a variant fail, come late or are slower than those of the control, see `page_health`. It fails when
             *     harm is known. It voids no verdict.
             */
            page: components["schemas"]["HealthCheck"];
            prevented_submits?: components["schemas"]["HealthCheck"] | null;
            /**
             * @description Whether visitors were shared as the weights say. When it fails, every
             *     verdict is `do_not_trust`.
             */
            sample_ratio: components["schemas"]["RatioCheck"];
            /**
             * @description The worst of the checks, those that are `unknown` left out; `unknown` when nothing is wrong, but
             *     `sample_ratio` or `crossovers` is not known.
             */
            status: string;
        };
        /** @description One check. */
        HealthCheck: {
            /** @description A sentence for a person. */
            message: string;
            /** @description `ok`, `warn`, `fail`, or `unknown` when the check has nothing to look at. */
            status: string;
        };
        /** @description For how long elements of an arm's pages were hidden until it was shown. */
        HiddenTime: {
            /**
             * Format: double
             * @description Milliseconds, on average; null without any.
             */
            mean: number | null;
            /**
             * Format: int64
             * @description Visitors with a page that told.
             */
            visitors: number;
        };
        /** @description A page of changes. */
        History: {
            /** @description What to pass as `cursor` for the next page; null on the last one. */
            next_cursor: string | null;
            /** @description Newest first. */
            revisions: components["schemas"]["RevisionView"][];
            /** @description Always true. */
            success: boolean;
        };
        /** @description What all experiments of a holdout did together: those who are held out against everybody else. */
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
            /** @description ISO 4217; null when no order names one. */
            currency?: string | null;
            /**
             * Format: int64
             * @description Days from the start to now, those begun counted whole.
             */
            days_running: number;
            /**
             * Format: date
             * @description The last day that counts; today while it goes on.
             */
            end_date: string | null;
            /** @description Key of the goal that the numbers at the top are of. */
            goal_key: string | null;
            /**
             * Format: int64
             * @description Identifies the holdout.
             */
            group_id: number;
            /** @description Whether the data can be trusted. */
            health: components["schemas"]["Health"];
            /** @description What the numbers were computed from; `muriel verify` computes them again. */
            manifest: Record<string, unknown>;
            /** @description The other metrics. */
            metrics: components["schemas"]["MetricResult"][];
            /**
             * @description Its display name.
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
             * @description The first day that counts, in the asked time zone.
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
             * @description Orders.
             */
            total_orders?: number | null;
            /**
             * Format: double
             * @description Value of the orders.
             */
            total_revenue?: number | null;
            /**
             * Format: int64
             * @description Everybody who did anything.
             */
            total_visitors: number;
            /** @description `"0"` are those who are held out, `"1"` is everybody else, whose lift is what the experiments did. */
            variants: components["schemas"]["VariantResult"][];
        };
        /** @description Which experiments visitors of a holdout do not meet. */
        HoldoutScope: components["schemas"]["WholeProject"] | components["schemas"]["HoldoutTests"];
        /** @description Experiments by their ids. */
        HoldoutTests: {
            /** @description Their ids. */
            tests: number[];
        };
        /** @description A hypothesis. */
        Hypothesis: {
            /**
             * @description Whether it was taken off the backlog; in lists only when archived ones
             *     were asked for.
             */
            archived?: boolean;
            /**
             * Format: int64
             * @description The team's rating, 1 to 5.
             */
            confidence: number | null;
            /**
             * Format: date-time
             * @description When it was made.
             */
            created_at: string;
            /**
             * Format: int64
             * @description The team's rating, 1 to 5.
             */
            difficulty: number | null;
            /**
             * Format: int64
             * @description Identifies the hypothesis.
             */
            hypothesis_id: number;
            /** @description Research behind it. */
            hypothesis_url: string | null;
            /**
             * Format: int64
             * @description The team's rating, 1 to 5.
             */
            importance: number | null;
            /** @description Experiments run from it, lowest id first. */
            linked_test_ids: number[];
            /** @description What the team saw. */
            observation: string | null;
            /** @description Why it is a problem. */
            problem: string | null;
            /** @description Names it in files and scripts; in details only. */
            slug?: string;
            /** @description The change to test. */
            solution: string | null;
            /**
             * Format: date-time
             * @description When it, or the set of its experiments, last changed.
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
        /** @description A new hypothesis; at least one of the texts says something. */
        HypothesisBody: {
            /** @description Whether it is off the backlog from the start; false unless given. */
            archived?: boolean;
            /**
             * Format: int64
             * @description 1 to 5.
             */
            confidence?: number | null;
            /**
             * Format: int64
             * @description 1 to 5.
             */
            difficulty?: number | null;
            /** @description Research behind it: http or https. */
            hypothesis_url?: string | null;
            /**
             * Format: int64
             * @description 1 to 5.
             */
            importance?: number | null;
            /** @description What the team saw. */
            observation?: string | null;
            /** @description Why it is a problem. */
            problem?: string | null;
            /** @description Names it in files and scripts, unique in the project; made from its text unless given. */
            slug?: string;
            /** @description The change to test. */
            solution?: string | null;
        };
        /** @description A hypothesis was changed. */
        HypothesisChanged: {
            /**
             * Format: int64
             * @description Its id.
             */
            hypothesis_id: number;
            /** @description Always true. */
            success: boolean;
        };
        /** @description A hypothesis was made. */
        HypothesisCreated: {
            /**
             * Format: int64
             * @description Its id.
             */
            hypothesis_id: number;
            /** @description Its slug: the given one, or one made from its text. */
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
            /** @description What the team saw. */
            observation?: string | null;
            /** @description Why it is a problem. */
            problem?: string | null;
            /** @description The change to test. */
            solution?: string | null;
        };
        /** @description A page of a project's hypotheses. */
        HypothesisList: {
            /**
             * Format: int64
             * @description Hypotheses in this page.
             */
            count: number;
            /** @description Whether there are more past this page. */
            has_more: boolean;
            /** @description Newest update first, then highest id. */
            hypotheses: components["schemas"]["Hypothesis"][];
            /**
             * Format: int64
             * @description The page size that was applied.
             */
            limit: number;
            /**
             * Format: int64
             * @description What to pass as `offset` for the next page.
             */
            next_offset: number;
            /**
             * Format: int64
             * @description The offset that was applied.
             */
            offset: number;
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Hypotheses that match the filters.
             */
            total: number;
        };
        /** @description Changes to a hypothesis. */
        HypothesisPatch: {
            /** @description On or off the backlog. */
            archived?: boolean;
            /**
             * Format: int64
             * @description 1 to 5.
             */
            confidence?: number | null;
            /**
             * Format: int64
             * @description 1 to 5.
             */
            difficulty?: number | null;
            /** @description Research behind it: http or https. */
            hypothesis_url?: string | null;
            /**
             * Format: int64
             * @description 1 to 5.
             */
            importance?: number | null;
            /** @description What the team saw. */
            observation?: string | null;
            /** @description Why it is a problem. */
            problem?: string | null;
            /** @description Names it in files and scripts, unique in the project. */
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
             * @description Names it in files and scripts.
             * @example few-visitors-reach-checkout
             */
            slug: string;
        };
        /** @description A page of ids and slugs. */
        HypothesisSlugs: {
            /** @description Hypotheses in this page. */
            count: number;
            /** @description Lowest id first; archived ones too. */
            hypotheses: components["schemas"]["HypothesisSlug"][];
            /**
             * Format: int64
             * @description What to pass as `after` for the next page; null when there is none.
             */
            next_after: number | null;
            /** @description Always true. */
            success: boolean;
        };
        /** @description A page of one's own inbox. */
        Inbox: {
            /** @description Newest first. */
            entries: components["schemas"]["InboxEntry"][];
            /** @description What to pass as `cursor` for the next page; null on the last one. */
            next_cursor: string | null;
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Entries that were not read; 100 stands for 100 or more.
             */
            unread: number;
        };
        /** @description How much of one's own inbox was not read. */
        InboxCount: {
            /**
             * Format: int64
             * @description The newest entry that was not read; null when all were.
             */
            newest_unread: number | null;
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Entries that were not read; 100 stands for 100 or more.
             */
            unread: number;
        };
        /** @description Something that one is told. */
        InboxEntry: {
            /** @description Who did it. */
            actor: components["schemas"]["ActorView"];
            /**
             * Format: date-time
             * @description When it happened.
             */
            at: string;
            /**
             * Format: int64
             * @description The comment; null where it is about something else.
             */
            comment_id: number | null;
            /** @description Whether the experiment was deleted since. */
            deleted: boolean;
            /**
             * Format: int64
             * @description Identifies it.
             */
            entry_id: number;
            /** @description Why one is told: an event of webhooks, or what only people are told. */
            event: components["schemas"]["InboxEvent"];
            /**
             * @description The beginning of the comment, of the note of a proposal, or of the reason of a decision; null without one.
             * @example null
             */
            excerpt: string | null;
            /**
             * Format: int64
             * @description The hypothesis; null where it is about an experiment.
             */
            hypothesis_id: number | null;
            /**
             * @description What the experiment or the hypothesis was called then.
             * @example Checkout with two fields
             */
            name: string;
            /**
             * @description The project.
             * @example prj_7Hq2ZkVt9XcRw4LmPb1NsY
             */
            project_key: string;
            /**
             * @description The project's name.
             * @example Shop
             */
            project_name: string;
            /**
             * Format: int64
             * @description The proposal; null where it is about something else.
             */
            proposal_id: number | null;
            /** @description Whether it was read. */
            read: boolean;
            /**
             * @description What happened, as webhooks and results say it.
             * @example the experiment was started
             */
            sentence: string;
            /**
             * Format: int64
             * @description The experiment; null where it is about a hypothesis.
             */
            test_id: number | null;
        };
        /** @description How to mark an entry of the inbox. */
        InboxEntryBody: {
            /** @description Whether it counts as read. */
            read: boolean;
        };
        /** @description An entry was marked. */
        InboxEntryMarked: {
            /**
             * Format: int64
             * @description The entry.
             */
            entry_id: number;
            /** @description Whether it counts as read. */
            read: boolean;
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Entries that were not read; 100 stands for 100 or more.
             */
            unread: number;
        };
        /**
         * @description What people are told: an event of webhooks, or what concerns them alone.
         * @enum {string}
         */
        InboxEvent: "experiment.started" | "experiment.stopped" | "experiment.concluded" | "experiment.reopened" | "experiment.changed" | "experiment.start_failed" | "winner.served" | "winner.stopped" | "health.failed" | "health.recovered" | "verdict.reached" | "comment.added" | "comment.mentioned" | "proposal.opened" | "proposal.approved" | "proposal.rejected";
        /** @description Entries were marked as read. */
        InboxMarked: {
            /**
             * Format: int64
             * @description How many entries were marked.
             */
            marked: number;
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Entries that were not read; 100 stands for 100 or more.
             */
            unread: number;
        };
        /** @description What of the inbox is read. */
        InboxReadBody: {
            /**
             * Format: int64
             * @description The newest entry that is; everything unless given. Entries that came after it stay unread.
             */
            until?: number;
        };
        /** @description A goal by its name, type and value. */
        InlineGoal: {
            /** @description Display name. */
            goal_name: string;
            /** @description What counts. */
            goal_type: components["schemas"]["GoalType"];
            /** @description The value that the type looks for. */
            goal_value: components["schemas"]["GoalValue"];
        };
        /** @description Whether a project's script is on its pages. */
        Install: {
            /** @description The same, where the script may not hold up the page. */
            async_snippet: string;
            /**
             * @description Whether the server knows the countries of visitors by their address. Where it does not, no visitor of a page matches a rule
             *     that names countries, regions or cities.
             */
            knows_places: boolean;
            /** @description Whether it knows their regions and cities, too. */
            knows_regions: boolean;
            /**
             * Format: date-time
             * @description When the last event of a page came; null when none was seen.
             */
            last_event: string | null;
            /**
             * Format: date-time
             * @description When the script was last fetched; null when that was never seen.
             */
            last_script_fetch: string | null;
            /** @description Pages that sent events lately, the one seen last first; at most 50. */
            pages: components["schemas"]["InstalledPage"][];
            /** @description The project. */
            project_key: string;
            /** @description The lines for the head of every page, with the server as this request has named it. */
            snippet: string;
            /** @description Always true. */
            success: boolean;
        };
        /** @description A page with the script on it. */
        InstalledPage: {
            /**
             * Format: date-time
             * @description When the last event of it came.
             */
            last_seen: string;
            /** @description Its address, without query and fragment. */
            url: string;
        };
        /** @description An integration, kept as it was sent. */
        Integration: string | {
            [key: string]: unknown;
        };
        /** @description When an integration last succeeded. */
        IntegrationState: {
            /**
             * Format: date-time
             * @description When a page last said that it had told it of an arm; of `webhook` when a message was last written. A few seconds late.
             */
            last_success_at: string | null;
            /**
             * @description Its name.
             * @example ga4
             */
            name: string;
        };
        /** @description A link with which somebody may come in. */
        Invitation: {
            /**
             * Format: date-time
             * @description When.
             */
            created_at: string;
            /**
             * @description Who is invited.
             * @example grace@example.com
             */
            email: string;
            /**
             * Format: date-time
             * @description Until when the link can be used.
             */
            expires_at: string;
            /**
             * Format: int64
             * @description Identifies the invitation.
             */
            invitation_id: number;
            /**
             * @description Who invited them: a name.
             * @example Ada Lovelace
             */
            invited_by: string;
            /** @description The projects that they will be limited to; null for every project of the company. */
            projects: components["schemas"]["ProjectRole"][] | null;
            /** @description The role that they will have. */
            role: components["schemas"]["RoleName"];
        };
        /** @description What a link is for. */
        InvitationAnswer: {
            /**
             * @description The name of the company; null where the first owner says it.
             * @example Acme
             */
            company: string | null;
            /**
             * @description Whom it is for; null for the first owner, who says it.
             * @example grace@example.com
             */
            email: string | null;
            /**
             * Format: date-time
             * @description Until when the link can be used.
             */
            expires_at: string;
            /** @description `first_owner` makes the first owner of the server, `invitation` a person, `reset` gives a person a new password. */
            purpose: components["schemas"]["LinkPurpose"];
            /** @description The role that the person will have, or has. */
            role: components["schemas"]["RoleName"];
            /** @description Always true. */
            success: boolean;
            /** @description The fields that have to be sent. */
            takes: components["schemas"]["LinkField"][];
        };
        /** @description Who is to be invited. */
        InvitationBody: {
            /**
             * @description The e-mail address, which nobody has signed up with yet. An invitation for the same address before is withdrawn.
             * @example grace@example.com
             */
            email: string;
            /** @description The projects that the person is limited to; every project of the company unless sent. */
            projects?: components["schemas"]["ProjectRoleBody"][];
            /** @description The role; none above one's own. */
            role: components["schemas"]["RoleName"];
        };
        /** @description Somebody was invited. */
        InvitationCreated: {
            /**
             * Format: date-time
             * @description Until when it can be used.
             */
            expires_at: string;
            /**
             * Format: int64
             * @description Identifies the invitation.
             */
            invitation_id: number;
            /**
             * @description The link to give to the person. It is shown this once, and works once.
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
             * @description The id it had.
             */
            invitation_id: number;
            /** @description Always true. */
            success: boolean;
        };
        /** @description A new API key. */
        KeyBody: {
            /**
             * Format: int64
             * @description Days until it expires; null for a key that does not expire, 365 unless sent.
             * @example 365
             */
            expires_in_days?: number | null;
            /**
             * @description What it is for.
             * @example nightly export
             */
            name: string;
            /** @description The keys of the projects that it is limited to; null or left out for every project of the company. */
            projects?: string[] | null;
            /** @description What it may do. */
            scopes: components["schemas"]["ScopeName"][];
        };
        /** @description An API key was made. */
        KeyCreated: {
            /**
             * @description The key. It is shown this once.
             * @example mrl_Q2f8kX3m…
             */
            api_key: string;
            /**
             * Format: date-time
             * @description When it is refused; null for never.
             */
            expires_at: string | null;
            /**
             * @description The 8 characters by which it is known.
             * @example Q2f8kX3m
             */
            prefix: string;
            /** @description Always true. */
            success: boolean;
        };
        /** @description The company's API keys. */
        KeyList: {
            /** @description How many there are. */
            count: number;
            /** @description Oldest first; revoked and expired ones too. */
            keys: components["schemas"]["ApiKeyItem"][];
            /** @description Always true. */
            success: boolean;
        };
        /** @description An API key was revoked. */
        KeyRevoked: {
            /**
             * @description The key's 8 characters.
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
             * @description What was done.
             * @example update
             */
            action: string;
            /** @description By whom. */
            actor: components["schemas"]["ActorView"];
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
        };
        /** @description An act of the clock. */
        LastClockAct: {
            /** @description What was done. */
            act: components["schemas"]["ClockAct"];
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /**
             * @description The rule and its numbers in a sentence.
             * @example 1000 visitors had entered, and the limit is 1000
             */
            detail: string;
            /**
             * @description Why it could not be done; the experiment was left as it was, and the start is tried again when the experiment changes.
             * @example its end date had passed too before it could be started
             */
            failed?: string;
            /** @description The numbers of that sentence, by name. */
            numbers: Record<string, unknown>;
            /** @description By which rule. */
            rule: components["schemas"]["ClockRule"];
        };
        /**
         * @description What somebody with a link has to send.
         * @enum {string}
         */
        LinkField: "email" | "name" | "password" | "company";
        /**
         * @description What a link is for.
         * @enum {string}
         */
        LinkPurpose: "first_owner" | "invitation" | "reset";
        /** @description What a visitor gets of an experiment. */
        LiveDecision: {
            /** @description Why pages show nothing of it at the address whatever was decided; null where it takes place there. */
            elsewhere: string | null;
            /** @description Its key. */
            experiment_key: string;
            /** @description Whether the visitor takes part and is counted. */
            in_experiment: boolean;
            /** @description Why, in a word. */
            reason: components["schemas"]["AssignmentReason"];
            /** @description Every check, in the order in which they are made. */
            steps: components["schemas"]["ExplanationStep"][];
            /**
             * Format: int64
             * @description Identifies the experiment.
             */
            test_id: number;
            /** @description `Control` or `Variant N`; null where the visitor is not included. */
            variant: string | null;
        };
        /** @description The data of one message of the stream. Its name, in the line `event:`, is `hello`, `event`, `decisions` or `bye`. */
        LiveMessage: {
            /**
             * Format: date-time
             * @description When it was sent.
             */
            at: string;
            /** @description Of `decisions`: what the visitor gets of each live experiment on the page that was seen, with the reason. */
            decisions?: components["schemas"]["LiveDecision"][];
            /** @description Of `event`: the event as it is stored. */
            event?: Record<string, unknown>;
            /**
             * Format: int64
             * @description Messages that this reader was too slow for, since the last one.
             */
            missed: number;
            /** @description Of `hello` and `bye`: what to know about the stream. */
            note?: string;
        };
        /** @description Assignments, a list per context. */
        ManyEvaluated: {
            assignments: components["schemas"]["Assignment"][][];
            success: boolean;
        };
        /**
         * @description Must hold, or must not.
         * @enum {string}
         */
        Match: "equal" | "notEqual";
        /** @description Somebody whom a comment mentions. */
        Mention: {
            /**
             * @description The name that they had when the comment was written.
             * @example Ada Lovelace
             */
            name: string;
            /**
             * Format: int64
             * @description Identifies them.
             */
            person_id: number;
        };
        /** @description RFC 7396 over the fields of ExperimentPatch: objects merge, null returns a key to its default. */
        MergePatch: Record<string, unknown>;
        /** @description A further metric. */
        MetricResult: {
            /** @description It was added, changed or chosen after the plan was locked: good for ideas, and no proof. */
            exploratory?: boolean;
            /** @description Why, as a sentence. */
            exploratory_reason?: string | null;
            /** @description Key of a goal, or name of a built-in metric or an event. */
            key: string;
            /** @description `goal`, `builtin` or `event`. */
            kind: string;
            /** @description Whether less is better. */
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
             * @description Percent; null without visitors, and of a built-in metric where nobody sent a page view.
             */
            conversion_rate: number | null;
            /**
             * Format: int64
             * @description Those of them who converted.
             */
            conversions: number;
            /** @description ISO 4217; null when no order names one. */
            currency?: string | null;
            /** @description Whether a guardrail is known to have got worse; null elsewhere. */
            harmed?: boolean | null;
            /**
             * Format: double
             * @description Percent that the arm does more than the control, as it is shown; not on the control.
             */
            improvement?: number | null;
            /**
             * Format: int64
             * @description Visitors whose time to convert still runs: shown, and not compared yet.
             */
            open_visitors?: number | null;
            /**
             * Format: double
             * @description Revenue per visitor.
             */
            rpv?: number | null;
            /**
             * Format: int64
             * @description Orders.
             */
            total_orders?: number | null;
            /**
             * Format: double
             * @description Value of the orders.
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
        /** @description An act of the clock that is to come. */
        NextClockAct: {
            /** @description What will be done. */
            act: components["schemas"]["ClockAct"];
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /** @description By which rule. */
            rule: components["schemas"]["ClockRule"];
        };
        /**
         * @description Why a concluded experiment has no expected lift.
         * @enum {string}
         */
        NoEstimate: "invalid" | "personalization" | "no_result" | "not_trusted" | "too_few_conversions";
        /**
         * @description Where a number is from: the request, the project's last two weeks, or assumed.
         * @enum {string}
         */
        NumberSource: "flag" | "project" | "default";
        /**
         * @description How a value is compared; `gt` and `>` mean the same, and so on.
         * @enum {string}
         */
        Operator: "ex" | "nx" | "bt" | "bf" | "==" | "!=" | "**" | "!*" | "gt" | "gte" | "lt" | "lte" | ">" | ">=" | "<" | "<=" | "days_gt" | "days_gte" | "days_lt" | "days_lte";
        /** @description A page of the experiments that the caller sees. */
        Overview: {
            /** @description In the order that `sort` asks for; equal ones by their id. */
            items: components["schemas"]["OverviewItem"][];
            /** @description What to pass as `cursor` for the next page; null on the last one. */
            next_cursor: string | null;
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Experiments that match the filters, on all pages.
             */
            total: number;
        };
        /**
         * @description An experiment with what there is to know at a glance. Verdict, health and visitors are of the moment `as_of`; they are
         *     looked at about once a minute.
         */
        OverviewItem: {
            /** @description Whether it was put into the archive. */
            archived: boolean;
            /**
             * Format: date-time
             * @description The moment that verdict, health and visitors are of; null while there are none.
             */
            as_of: string | null;
            /**
             * Format: date-time
             * @description When it was made: ISO 8601, UTC, milliseconds.
             */
            created_at: string;
            /**
             * Format: int64
             * @description Days since its first start, until it ended; null before.
             */
            days: number | null;
            /**
             * Format: int64
             * @description Days until the planned visitors have entered, at the rate so far, or until the end date where that is earlier; null
             *     where neither is known.
             */
            days_left: number | null;
            /** @description Its permanent name for server-side use. */
            experiment_key: string;
            /**
             * @description The worst of the health checks, that of the minimum data aside, which every young experiment fails; `unknown` while
             *     there is nothing to look at.
             */
            health: components["schemas"]["GradeWord"];
            hypothesis?: components["schemas"]["HypothesisExcerpt"] | null;
            /**
             * Format: int64
             * @description The hypothesis it came from.
             */
            hypothesis_id: number | null;
            /** @description 1 when formally concluded from the dashboard. */
            is_completed: components["schemas"]["Flag"];
            /** @description 1 while a winner is served. */
            is_deploy: components["schemas"]["Flag"];
            /** @description The last change. */
            last_change: components["schemas"]["LastChange"];
            outcome: components["schemas"]["ConclusionOutcome"] | null;
            /** @description Who made it. */
            owner: components["schemas"]["ActorView"];
            /** @description The key of its project. */
            project_key: string;
            /**
             * @description What to do, in a sentence. It says of which moment it is where the result may be another by now.
             * @example Ship Variant 1: it beats the control by 4.1 %, at least 1.2 %.
             */
            sentence: string;
            /**
             * @description The arm that is served at 100 %; null while its rollout is lower and after
             *     serving stopped; absent while none was ever served.
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
             * @description When it last changed.
             */
            updated_at: string;
            /** @description The tested page. */
            url: string;
            verdict: components["schemas"]["VerdictWord"] | null;
            /**
             * Format: int64
             * @description Visitors in all arms; null while that is not known.
             */
            visitors: number | null;
        };
        /** @description Errors of an arm that say the same. */
        PageError: {
            /**
             * @description The browser of most of these visitors; null where it is not known.
             * @example safari
             */
            browser: string | null;
            /**
             * Format: date-time
             * @description When it was met first.
             */
            first_seen: string;
            /**
             * Format: date-time
             * @description When it was met last.
             */
            last_seen: string;
            /**
             * @description What they say, as the page sent it; at most 200 characters.
             * @example TypeError: cart is null
             */
            message: string;
            /**
             * Format: double
             * @description Of all visitors of the arm, in percent.
             */
            percent: number;
            /**
             * @description The page, without query and fragment, on which most of these visitors met it; null where it is not known.
             * @example https://shop.example/cart
             */
            url: string | null;
            /**
             * Format: int64
             * @description Visitors who met it.
             */
            visitors: number;
        };
        /**
         * @description How the pages of an arm fared. Each visitor counts once: as one with an error or a late arm if any page told of it, and with
         *     the first page that told a measure. All comparisons with the control together raise a false alarm in at most 5 % of
         *     experiments, however often they are looked at.
         */
        PageHealth: {
            /** @description Whether its changes found what they change, for each of its first 60 changes of which pages told. */
            changes: components["schemas"]["ChangeMatched"][];
            /** @description Visitors for whom the arm's code failed, in percent; pages tell of every error. */
            errors: components["schemas"]["PageShare"];
            /** @description For how long elements were hidden. */
            hidden_ms: components["schemas"]["HiddenTime"];
            /** @description Interaction to next paint in milliseconds; above 2,000 counts as that. */
            inp_ms: components["schemas"]["PageMean"];
            /** @description Visitors for whom the arm came too late on a page, which then showed the original, in percent. */
            late: components["schemas"]["PageShare"];
            /** @description Cumulative layout shift; above 1 counts as that. */
            layout_shift: components["schemas"]["PageMean"];
            /** @description Largest contentful paint in milliseconds; above 10,000 counts as that. */
            lcp_ms: components["schemas"]["PageMean"];
            /**
             * @description What is found, with the next step; empty where nothing is.
             * @example Pages of Variant 1 show their largest content 305 ms later than those of the control (168 to 442). Look at what its changes load, hide or move.
             */
            message: string;
            /**
             * @description `Control`, `Variant 1`…
             * @example Variant 1
             */
            name: string;
            /**
             * @description What its errors say, those of most visitors first; at most 5. Errors that say the same are one, with the page and the browser
             *     of most who met it. Pages say it of the first error of each page view. Empty in shared results.
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
        /** @description A mean of an arm's pages, one of each visitor. */
        PageMean: {
            /**
             * Format: double
             * @description By how much it is more than in the control; null of the control and where it cannot be compared.
             */
            difference: number | null;
            /** @description Where the true difference is, valid whenever it is read. */
            difference_interval: number[] | null;
            /**
             * Format: double
             * @description The mean of these; null without any.
             */
            mean: number | null;
            /**
             * @description `harmed`: known to be worse by more than a margin (50 ms of `lcp_ms`, 0.02 of `layout_shift`, 20 ms of `inp_ms`). `worse`: known
             *     to be worse. `better`, `ok`: not known to be worse. `unknown`: too little to compare, and of the control.
             */
            status: components["schemas"]["PageStatusWord"];
            /**
             * Format: int64
             * @description Visitors with a page that was measured.
             */
            visitors: number;
        };
        /** @description A share of an arm's visitors. */
        PageShare: {
            /**
             * Format: double
             * @description By how many points it is more than in the control; null of the control and where it cannot be compared.
             */
            difference: number | null;
            /** @description Where the true difference is, valid whenever it is read; null of the control, and where there are too few. */
            difference_interval: number[] | null;
            /**
             * Format: double
             * @description How many of all, in percent; null without visitors.
             */
            percent: number | null;
            /**
             * @description `harmed`: known to be worse by more than a margin (0.5 points of errors, 5 of late arms). `worse`: known to be worse.
             *     `better`, `ok`: not known to be worse. `unknown`: too little to compare, and of the control.
             */
            status: components["schemas"]["PageStatusWord"];
            /**
             * Format: int64
             * @description How many.
             */
            visitors: number;
        };
        /**
         * @description How the pages of an arm compare with the control's.
         * @enum {string}
         */
        PageStatusWord: "unknown" | "ok" | "better" | "worse" | "harmed";
        /**
         * @description A part of the script.
         * @enum {string}
         */
        PartName: "source" | "changes" | "split" | "goals" | "orders";
        /**
         * @description An arm in one part of the visitors. To look around, not to decide by: many
         *     parts are compared, and no correction is made for it.
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
             * @description Percent; null without visitors, and of a built-in metric where nobody sent a page view.
             */
            conversion_rate: number | null;
            /**
             * Format: int64
             * @description Those of them who converted.
             */
            conversions: number;
            /** @description ISO 4217; null when no order names one. */
            currency?: string | null;
            /**
             * Format: double
             * @description Percent that the arm does more than the control, as it is shown; not on the control.
             */
            improvement?: number | null;
            /**
             * Format: double
             * @description As in `analysis`; null on the control.
             */
            lift: number | null;
            /** @description As in `analysis`. */
            lift_interval: number[] | null;
            /**
             * Format: int64
             * @description Visitors whose time to convert still runs: shown, and not compared yet.
             */
            open_visitors?: number | null;
            /**
             * Format: double
             * @description As in `analysis`; not corrected.
             */
            p_value: number | null;
            /**
             * Format: double
             * @description Revenue per visitor.
             */
            rpv?: number | null;
            /**
             * Format: int64
             * @description Orders.
             */
            total_orders?: number | null;
            /**
             * Format: double
             * @description Value of the orders.
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
        /** @description A passkey that the browser has made. */
        PasskeyBody: {
            /** @description The credential, as its `toJSON` has it. */
            credential: Record<string, unknown>;
            /**
             * @description What the person calls it.
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
             * @description When it was enrolled.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last used; null for never.
             */
            last_used_at: string | null;
            /**
             * @description What the person calls it.
             * @example Laptop
             */
            name: string;
            /**
             * Format: int64
             * @description Identifies the passkey.
             */
            passkey_id: number;
        };
        /** @description One's own passkeys. */
        PasskeyList: {
            /** @description How many there are. */
            count: number;
            /** @description Oldest first; at most 20. */
            passkeys: components["schemas"]["PasskeyItem"][];
            /** @description Always true. */
            success: boolean;
        };
        /** @description What a browser needs for a passkey. */
        PasskeyOptions: {
            /** @description For `PublicKeyCredential.parseCreationOptionsFromJSON`, or `parseRequestOptionsFromJSON`. */
            options: Record<string, unknown>;
            /** @description Always true. */
            success: boolean;
        };
        /** @description A passkey was removed. */
        PasskeyRemoved: {
            /** @description Always true. */
            deleted: boolean;
            /**
             * Format: int64
             * @description The id it had.
             */
            passkey_id: number;
            /** @description Always true. */
            success: boolean;
        };
        /** @description A passkey that answers. */
        PasskeySignInBody: {
            /** @description The credential, as its `toJSON` has it. */
            credential: Record<string, unknown>;
        };
        /** @description The present password, which is asked for again before a second factor changes. */
        PasswordAgainBody: {
            /**
             * @description The present password; left out by who has none.
             * @example correct horse battery
             */
            password?: string;
        };
        /** @description A new password. */
        PasswordBody: {
            /**
             * @description The present password; left out by who has none, having come in through another sign-in.
             * @example an older password
             */
            current?: string;
            /**
             * @description The new password.
             * @example correct horse battery
             */
            password: string;
        };
        /** @description The people of the company. */
        PeopleList: {
            /** @description How many people there are. */
            count: number;
            /** @description Invitations that nobody has accepted and that have not expired, oldest first. */
            invitations: components["schemas"]["Invitation"][];
            /** @description Oldest first. */
            people: components["schemas"]["Person"][];
            /** @description Always true. */
            success: boolean;
        };
        /** @description Somebody who signs in. */
        Person: {
            /**
             * Format: date-time
             * @description When the person came in.
             */
            created_at: string;
            /**
             * @description The address to sign in with.
             * @example ada@example.com
             */
            email: string;
            /** @description Whether there is a password. */
            has_password: boolean;
            /** @description Whether signing in with the password needs an authenticator too. */
            has_totp: boolean;
            /**
             * Format: date-time
             * @description When the person last did something, to the minute; null for never.
             */
            last_seen_at: string | null;
            /**
             * @description The name.
             * @example Ada Lovelace
             */
            name: string;
            /** @description How many passkeys there are. */
            passkeys: number;
            /**
             * Format: int64
             * @description Identifies the person.
             */
            person_id: number;
            /** @description The projects that the person is limited to; null for every project of the company. */
            projects: components["schemas"]["ProjectRole"][] | null;
            /** @description The role in the company, and in each project unless `projects` says otherwise. */
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
             * @description The name. Everybody may change their own.
             * @example Grace Hopper
             */
            name?: string;
            /** @description The projects that the person is limited to; null for every project of the company. An owner cannot be limited. */
            projects?: components["schemas"]["ProjectRoleBody"][] | null;
            /** @description The role; none above one's own, and of nobody who has one above one's own. */
            role?: components["schemas"]["RoleName"];
        };
        /** @description A person was removed. */
        PersonRemoved: {
            /** @description Always true. */
            deleted: boolean;
            /** @description What ended with them. */
            ended: components["schemas"]["EndedWithPerson"];
            /**
             * Format: int64
             * @description The id that the person had.
             */
            person_id: number;
            /** @description Always true. */
            success: boolean;
        };
        /** @description A region or a city let in or kept out. */
        Place: {
            /** @description Its name. */
            name: string;
            /** @description In or out. */
            rule: components["schemas"]["Match"];
        };
        /** @description What an experiment is to find out. */
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
        /** @description How many visitors an experiment needs. */
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
            /** @description As `baseline_rate_from`. */
            daily_visitors_from: string | null;
            /**
             * Format: int64
             * @description Whole days until they came.
             */
            days: number | null;
            /**
             * @description What this traffic can find in 2, 4 and 8 weeks: the smallest lift that an experiment which is planned for so long finds at its
             *     end. Once the experiment has started, its plan is settled, and these are of it. Empty where too little is known.
             */
            findable: components["schemas"]["DayForecast"][];
            /**
             * Format: double
             * @description Smallest lift to be found, in percent.
             */
            mde: number;
            /** @description The smallest lift that is found by the end of each day. */
            mde_by_day: components["schemas"]["DayForecast"][];
            /** @description Why `visitors_needed` or `days` is null, and what to do about it. */
            note: string | null;
            /**
             * Format: double
             * @description Percent of such lifts that are found.
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
             * @description Visitors of all arms together; null where too little is known, or no number is enough.
             */
            visitors_needed: number | null;
        };
        /** @description Why the clock is to go by what was changed of the plan. */
        PlanConfirmation: {
            /**
             * @description The reason, which history keeps.
             * @example The shop moved to another checkout, whose goal is order_paid.
             */
            reason: string;
        };
        /** @description The clock goes by the experiment as it is. */
        PlanConfirmed: {
            /**
             * Format: date-time
             * @description When the plan was confirmed that the clock goes by; null where it goes by the locked one and nothing was to be confirmed.
             */
            confirmed_at: string | null;
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Its id.
             */
            test_id: number;
        };
        /** @description A confirmation of a changed plan. */
        PlanConfirmedBefore: {
            /**
             * Format: date-time
             * @description When: the clock goes by what the experiment was then.
             */
            confirmed_at: string;
            /** @description Why, in the words of the person. */
            reason: string;
        };
        /** @description What ends an experiment by itself, as its configuration has it; 0 is off. */
        PlannedEnd: {
            /**
             * Format: int64
             * @description So many days have passed since the first start.
             */
            completion_after_period: number;
            /**
             * Format: int64
             * @description So many visitors have converted on the primary goal.
             */
            completion_conversion: number;
            /**
             * Format: int32
             * @description 1: the verdict on the primary goal is reached.
             */
            completion_stats_significant_flag: number;
            /**
             * Format: int64
             * @description So many visitors have entered.
             */
            completion_visitor: number;
            /**
             * Format: date-time
             * @description The date.
             */
            end_test_date: string | null;
            /**
             * Format: int32
             * @description 1: a winner is served by itself, and stopped.
             */
            is_autopilot: number;
        };
        /** @description A goal, and what it counted. */
        PlannedGoal: {
            /**
             * Format: double
             * @description Most value that one visitor contributes.
             */
            cap: number | null;
            /** @description The currency that orders count in. */
            currency: string | null;
            /** @description Its permanent name. */
            goal_key: string;
            /** @description Display name. */
            goal_name: string;
            /** @description What it counts. */
            goal_type: string;
            /** @description The value of that type: text, or a number. */
            goal_value: components["schemas"]["GoalValue"];
            /**
             * Format: double
             * @description Most that one order can plausibly be worth.
             */
            max_order_value: number | null;
            /**
             * Format: int64
             * @description Events needed for a conversion.
             */
            min_count: number;
            /**
             * Format: int64
             * @description Days after entry within which an event counts; null until the end of the test.
             */
            window_days: number | null;
        };
        /** @description A hypothesis as it was. */
        PlannedHypothesis: {
            /** @description What the team saw. */
            observation: string | null;
            /** @description Why it is a problem. */
            problem: string | null;
            /** @description The change to test. */
            solution: string | null;
        };
        /** @description What a preview shows. */
        PreviewDocument: {
            experiments: Record<string, unknown>[];
            /**
             * Format: int64
             * @description 1.
             */
            format: number;
            /**
             * Format: int64
             * @description The version of hashing, 1.
             */
            hash: number;
            /** @description Parts of the script that it needs, files of `/js/parts/`. */
            parts: components["schemas"]["PartName"][];
            project_key: string;
        };
        /** @description A link that shows one arm to whoever opens it, for seven days. */
        PreviewLink: {
            /** @description The arm's name. */
            name: string;
            /** @description The page with the parameters that ask for the arm. */
            preview_url: string;
            /**
             * Format: int32
             * @description 0 for the control.
             */
            variant_id: number;
        };
        /** @description Links that show one arm each. */
        PreviewLinks: {
            /** @description Its page. */
            page_url: string;
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description The experiment's id.
             */
            test_id: number;
            /** @description Its name. */
            test_name: string;
            /** @description The control first. */
            variants: components["schemas"]["PreviewLink"][];
        };
        /** @description What a preview of an arm found on the page. */
        PreviewReport: {
            /** @description Selectors of the arm's visual changes that matched an element. */
            matched: string[];
            /** @description Selectors that matched none so far. */
            missing: string[];
            /** @description The `test-token` of the preview link. */
            token: string;
            /** @description The page that showed it. */
            url: string;
            /**
             * Format: int64
             * @description The arm that was shown: 0 is the control.
             */
            variant_id: number;
        };
        /** @description What a preview found is noted. */
        PreviewReported: {
            /** @description Always true. */
            success: boolean;
        };
        /** @description All concluded experiments together. Lifts are in percent; intervals contain their value with a probability of 95 %. */
        Programme: {
            /** @description Results by the ratings of hypotheses, as they are now: an entry for each rating and value that occurs. */
            calibration: components["schemas"]["ProgrammeCalibration"][];
            /** @description The lifts of the winners among them, added up. */
            cumulative: components["schemas"]["ProgrammeCumulative"];
            /** @description The holdouts of the projects, at most 100: they measure the effect of all experiments together. */
            holdouts: components["schemas"]["ProgrammeHoldout"][];
            /** @description Concluded experiments, the newest first. */
            items: components["schemas"]["ProgrammeItem"][];
            /** @description Concluded experiments of all time from whose results the expected lifts are estimated. */
            learned_from: number;
            /** @description What to pass as `cursor` for the next page; null on the last one. */
            next_cursor: string | null;
            /** @description Always true. */
            success: boolean;
            /** @description Experiments in `items` on all pages. */
            total: number;
            /** @description Numbers of the experiments that were concluded between `from` and `to`. */
            totals: components["schemas"]["ProgrammeTotals"];
            /** @description Whether there are more than 10,000 concluded experiments. The oldest are ignored then. */
            truncated: boolean;
            /** @description Concluded experiments of all time that have no expected lift and no part in the estimates. */
            without_estimate: components["schemas"]["ProgrammeWithoutEstimate"];
        };
        /** @description Results of the experiments whose hypothesis has a rating of this value. */
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
            /** @description Concluded experiments that are not invalid. */
            tests: number;
            /**
             * Format: int64
             * @description 1 to 5.
             */
            value: number;
            /**
             * Format: double
             * @description The same in percent.
             */
            win_rate: number | null;
            /** @description Wilson's interval of the win rate. */
            win_rate_interval: number[] | null;
            /** @description Experiments with an expected lift. */
            with_lift: number;
            /** @description Of these, how many won. */
            won: number;
        };
        /** @description Sums of lifts. */
        ProgrammeCumulative: {
            /** @description Of experiments whose variant is served as the winner now. */
            served: components["schemas"]["ProgrammeSum"];
            /** @description Of experiments that won, or whose variant is served as the winner. */
            won_or_served: components["schemas"]["ProgrammeSum"];
        };
        /** @description A holdout. */
        ProgrammeHoldout: {
            /**
             * Format: int64
             * @description Its id.
             */
            group_id: number;
            /**
             * @description Its name.
             * @example Everything new of 2026
             */
            name: string;
            /**
             * Format: double
             * @description Percent of the visitors that it keeps out.
             */
            percent: number;
            /** @description The key of its project. */
            project_key: string;
            /**
             * @description The path of its result.
             * @example /v2/project/prj_Q2f8kX3mD7tYwR5vB9cN1s/exclusion-group/3/result
             */
            result: string;
        };
        /** @description A concluded experiment. */
        ProgrammeItem: {
            /**
             * Format: date-time
             * @description When it was concluded.
             */
            concluded_at: string;
            /** @description Who concluded it: a name; null where that was an older release. */
            concluded_by: string | null;
            /**
             * Format: int64
             * @description How sure the team was, 1 to 5, as the hypothesis has it now; null without one.
             */
            confidence: number | null;
            /**
             * Format: int64
             * @description How much work it was.
             */
            difficulty: number | null;
            /** @description Interval of the true lift. */
            expected_interval: number[] | null;
            /**
             * Format: double
             * @description The expected true lift, in percent; null where `no_estimate` says why.
             */
            expected_lift: number | null;
            /** @description Its permanent name for server-side use. */
            experiment_key: string;
            /** @description The primary goal; null where no result was kept. */
            goal_key: string | null;
            /** @description Its name. */
            goal_name: string | null;
            /**
             * Format: int64
             * @description The hypothesis that it tested.
             */
            hypothesis_id: number | null;
            /**
             * Format: int64
             * @description How much it would matter.
             */
            importance: number | null;
            /**
             * @description What was learned beyond this test.
             * @example Visitors on phones leave at the address.
             */
            learned: string;
            /**
             * Format: double
             * @description The lift that the result showed when it was concluded, in percent.
             */
            lift: number | null;
            /** @description Its interval, with the experiment's confidence. */
            lift_interval: number[] | null;
            no_estimate: components["schemas"]["NoEstimate"] | null;
            /**
             * @description The team's reasons.
             * @example Fewer fields, more orders.
             */
            note: string;
            /** @description The outcome. */
            outcome: components["schemas"]["ConclusionOutcome"];
            /** @description The key of its project. */
            project_key: string;
            /** @description The variant that is served as the winner; null where none is. */
            serving_variant_id: string | null;
            /**
             * Format: int64
             * @description Its id.
             */
            test_id: number;
            /** @description Its name. */
            test_name: string;
            /**
             * @description The variant that the lifts are of: the one that is served, or else the one with the highest lift. Null where no result
             *     was kept, as before this version.
             */
            variant_id: string | null;
            /**
             * Format: int64
             * @description Visitors in all arms.
             */
            visitors: number | null;
        };
        /** @description A month. */
        ProgrammeMonth: {
            /** @description Experiments that were concluded. */
            concluded: number;
            /**
             * @description Year and month.
             * @example 2026-03
             */
            month: string;
            /** @description Of these, how many won. */
            won: number;
        };
        /** @description Experiments by outcome. */
        ProgrammeOutcomes: {
            inconclusive: number;
            invalid: number;
            lost: number;
            stopped_early: number;
            won: number;
        };
        /** @description The lifts of some experiments added up, each of its own primary goal. Invalid experiments are never part of it. */
        ProgrammeSum: {
            /**
             * Format: double
             * @description The expected sum of the true lifts, in percent; null while there is nothing to estimate from.
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
             * @description The sum of the lifts that the results showed, in percent, for comparison. It is usually far too high, as winners are
             *     chosen for a high result.
             * @example 20.3
             */
            shown: number;
            /** @description Experiments in the sum. */
            tests: number;
            /** @description Experiments that would be in the sum if they had an expected lift. */
            without_lift: number;
        };
        /** @description Numbers of concluded experiments. */
        ProgrammeTotals: {
            /** @description All of them. */
            concluded: number;
            /**
             * @description Experiments that were decided by another goal than that of the plan which their first start locked: they are not in the
             *     win rate.
             */
            exploratory: number;
            /** @description Months in UTC, from that of the first experiment on, at most the last 120. */
            months: components["schemas"]["ProgrammeMonth"][];
            /** @description By outcome. */
            outcomes: components["schemas"]["ProgrammeOutcomes"];
            /**
             * Format: double
             * @description Experiments concluded per month on average, from `from` or the first of them to `to` or now, over at least one month;
             *     null without any.
             * @example 4.2
             */
            per_month: number | null;
            /**
             * Format: double
             * @description Percent that won, of those that are not invalid and were decided by the goal of their plan; null without such experiments.
             * @example 31.2
             */
            win_rate: number | null;
            /**
             * @description Wilson's interval of the win rate.
             * @example [
             *       20.1,
             *       45
             *     ]
             */
            win_rate_interval: number[] | null;
        };
        /** @description Experiments without an expected lift, by the words of `no_estimate`. */
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
             * @description Display name, new in the company.
             * @example Shop
             */
            name: string;
        };
        /** @description A project was made. */
        ProjectCreated: {
            /**
             * @description The project's key.
             * @example prj_Q2f8kX3mD7tYwR5vB9cN1s
             */
            project_key: string;
            /** @description Always true. */
            success: boolean;
        };
        /** @description The projects of the company that the caller sees. */
        ProjectList: {
            /** @description How many there are. */
            count: number;
            /** @description Oldest first. */
            projects: components["schemas"]["SessionProject"][];
            /** @description Always true. */
            success: boolean;
        };
        /** @description People who see a project. */
        ProjectPeople: {
            /** @description Whether more people fit than are listed. */
            has_more: boolean;
            /** @description Those with a name in which a word begins with the text first, then by name. */
            people: components["schemas"]["ProjectPerson"][];
            /** @description Always true. */
            success: boolean;
        };
        /** @description Somebody who sees a project. */
        ProjectPerson: {
            /**
             * @description What others call them; several people can have the same name.
             * @example Ada Lovelace
             */
            name: string;
            /**
             * Format: int64
             * @description Identifies them.
             */
            person_id: number;
            /** @description The role in the project. */
            role: components["schemas"]["RoleName"];
        };
        /** @description The role in a project. */
        ProjectRole: {
            /**
             * @description The project's key.
             * @example prj_Q2f8kX3mD7tYwR5vB9cN1s
             */
            project_key: string;
            /** @description The role there. */
            role: components["schemas"]["RoleName"];
        };
        /** @description A project that somebody is limited to. */
        ProjectRoleBody: {
            /**
             * @description The project's key.
             * @example prj_Q2f8kX3mD7tYwR5vB9cN1s
             */
            project_key: string;
            /** @description The role there; `role` beside `projects` unless sent. */
            role?: components["schemas"]["RoleName"];
        };
        /** @description How a project behaves. */
        ProjectSettings: {
            /** @description Whether a second person has to approve changes of code. */
            approve_code: boolean;
            /** @description Whether a second person has to approve changes of live experiments. */
            approve_live: boolean;
            /**
             * @description Where pages reach the server; empty for the server that delivered the script.
             * @example https://muriel.example.com
             */
            base: string;
            /** @description Whether automated browsers and crawlers take part in experiments. */
            bots: boolean;
            /** @description What happens before a visitor has answered whether they may be recorded. */
            consent: components["schemas"]["ConsentMode"];
            /** @description Whether editors may change code that runs on pages. */
            editors_have_code: boolean;
            /** @description Whether Global Privacy Control counts as a denial. */
            gpc: boolean;
            /**
             * Format: int32
             * @description Percentage of page views whose health is reported.
             */
            health: number;
            /**
             * @description Display name.
             * @example Shop
             */
            name: string;
            /** @description Whether the clock ends experiments whose pages are known to be harmed: see `page_health` of a result. */
            stop_on_page_harm: boolean;
        };
        /** @description A project's settings. */
        ProjectSettingsAnswer: {
            /**
             * @description The project's key.
             * @example prj_Q2f8kX3mD7tYwR5vB9cN1s
             */
            project_key: string;
            /** @description The settings, all of them. */
            settings: components["schemas"]["ProjectSettings"];
            /** @description Always true. */
            success: boolean;
        };
        /** @description Changes to a project's settings. */
        ProjectSettingsPatch: {
            /** @description Whether a second person has to approve changes of code. */
            approve_code?: boolean;
            /** @description Whether a second person has to approve changes of live experiments. */
            approve_live?: boolean;
            /**
             * @description Where pages reach the server, such as `https://muriel.example` or `/x`; empty for the server that delivered the script.
             * @example https://muriel.example.com
             */
            base?: string;
            /** @description Whether automated browsers and crawlers take part in experiments. */
            bots?: boolean;
            /** @description What happens before a visitor has answered whether they may be recorded. */
            consent?: components["schemas"]["ConsentMode"];
            /** @description Whether editors may change code that runs on pages. */
            editors_have_code?: boolean;
            /** @description Whether Global Privacy Control counts as a denial. */
            gpc?: boolean;
            /**
             * Format: int64
             * @description Percentage of page views whose health is reported.
             */
            health?: number;
            /**
             * @description Display name, new in the company.
             * @example Shop
             */
            name?: string;
            /** @description Whether the clock ends experiments whose pages are known to be harmed: see `page_health` of a result. */
            stop_on_page_harm?: boolean;
        };
        /** @description A proposed change. */
        Proposal: {
            /**
             * Format: int64
             * @description The revision of the experiment for which it was made.
             */
            base_revision: number;
            /** @description The body that was sent, without the note: fields as an update takes them, or the status to have. */
            body: Record<string, unknown>;
            /** @description What else has changed since it was made. Where this is not empty it cannot be approved: propose it again. */
            changed_since: components["schemas"]["FieldChange"][];
            /** @description What it would change now; empty once it is decided. */
            changes: components["schemas"]["FieldChange"][];
            /** @description How its fields are applied: `application/json` or `application/merge-patch+json`. */
            content_type: string;
            /**
             * Format: date-time
             * @description When it was decided; null while it is open.
             */
            decided_at: string | null;
            decided_by: components["schemas"]["ActorView"] | null;
            /** @description Why it is proposed; may be empty. */
            note: string;
            /**
             * Format: int64
             * @description Identifies it.
             */
            proposal_id: number;
            /**
             * Format: date-time
             * @description When.
             */
            proposed_at: string;
            /** @description By whom, who cannot approve it. */
            proposed_by: components["schemas"]["ActorView"];
            /** @description What the one who decided says; may be empty. */
            reason: string;
            /** @description What became of it. */
            state: components["schemas"]["ProposalState"];
            /**
             * Format: int64
             * @description The experiment.
             */
            test_id: number;
        };
        /** @description A change was proposed. */
        ProposalCreated: {
            /** @description Whether the project asks for a second person for it; if not, it can be made at once too. */
            needs_approval: boolean;
            /**
             * Format: int64
             * @description Its id.
             */
            proposal_id: number;
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description The experiment.
             */
            test_id: number;
        };
        /** @description A proposal was decided. */
        ProposalDecided: {
            /**
             * Format: int64
             * @description Its id.
             */
            proposal_id: number;
            /** @description What became of it. */
            state: components["schemas"]["ProposalState"];
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description The experiment.
             */
            test_id: number;
        };
        /** @description The proposals of an experiment. */
        ProposalList: {
            /** @description What to pass as `cursor` for the next page; null on the last one. */
            next_cursor: string | null;
            /** @description Newest first. */
            proposals: components["schemas"]["Proposal"][];
            /** @description Always true. */
            success: boolean;
        };
        /**
         * @description What became of a proposal.
         * @enum {string}
         */
        ProposalState: "open" | "approved" | "rejected" | "withdrawn";
        /** @description The project's currency rates. */
        RatesAnswer: {
            /** @description Rates in the table. */
            count: number;
            /** @description The currency that all is converted to; null without a table. */
            currency: string | null;
            /** @description By currency, then by date. */
            rates: components["schemas"]["CurrencyRate"][];
            /** @description Always true. */
            success: boolean;
        };
        /** @description The project's currency rates, whole. */
        RatesBody: {
            /** @description The currency that all is converted to, ISO 4217; null, with no rates, for no table. */
            currency: string | null;
            /** @description At most one for each currency and day. */
            rates: components["schemas"]["RateSent"][];
        };
        /** @description Currency rates were set. */
        RatesChanged: {
            /** @description Rates in the table. */
            count: number;
            /** @description The currency that all is converted to; null without a table. */
            currency: string | null;
            /** @description Always true. */
            success: boolean;
        };
        /** @description What one unit of a currency is worth from a day on, until the next rate of it. */
        RateSent: {
            /** @description ISO 4217; not the currency of the table. */
            currency: string;
            /**
             * Format: date
             * @description The day on which it begins, in UTC.
             */
            date: string;
            /**
             * Format: double
             * @description In the currency of the table.
             */
            rate: number;
        };
        /** @description The sample ratio test. */
        RatioCheck: {
            /**
             * Format: double
             * @description Pearson's test for comparison, valid for one look.
             */
            chi_squared_p_value: number | null;
            /** @description Each epoch with visitors. */
            epochs: components["schemas"]["EpochRatio"][];
            /** @description A sentence for a person. */
            message: string;
            /**
             * Format: double
             * @description Sequential test over all epochs, valid at any look; below 0.01 it fails.
             */
            p_value: number | null;
            /** @description `ok`, `warn`, `fail`, or `unknown` when the check has nothing to look at. */
            status: string;
        };
        /**
         * @description What opened an epoch.
         * @enum {string}
         */
        Reason: "status" | "variants" | "targeting" | "traffic" | "distribution" | "groups";
        /** @description A second factor that was wrong after the right password. */
        RefusedSecondFactor: {
            /**
             * Format: date-time
             * @description When it was tried.
             */
            at: string;
            /**
             * @description What was tried: `password and code` or `passkey`.
             * @example password and code
             */
            method: string;
            /**
             * @description The network that it was tried from: a /24 of IPv4, or a /48 of IPv6.
             * @example 203.0.113.0/24
             */
            network: string;
        };
        /** @description An experiment was reopened. */
        Reopened: {
            /** @description Always 0. */
            is_completed: components["schemas"]["Flag"];
            /** @description Its status, which stays. */
            status: components["schemas"]["StatusCode"];
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Its id.
             */
            test_id: number;
        };
        /** @description Which state to restore. */
        RestoreBody: {
            /**
             * Format: int64
             * @description A revision of the history. Its state is that after this change was made.
             */
            revision: number;
        };
        /** @description An earlier state was restored. */
        Restored: {
            /**
             * Format: int64
             * @description The revision whose state it has again.
             */
            revision: number;
            /** @description Always true. */
            success: boolean;
        };
        /** @description What is known of an experiment. */
        ResultAnswer: {
            /**
             * Format: double
             * @description Average order value.
             */
            aov?: number | null;
            /**
             * @description The arms by the attribute that was asked for; the largest part first, at
             *     most 50 and the rest.
             */
            breakdowns: components["schemas"]["Breakdown"][];
            /**
             * Format: int64
             * @description Confidence threshold in percent.
             */
            confidence_threshold_percent: number;
            /** @description ISO 4217; null when no order names one. */
            currency?: string | null;
            /**
             * Format: int64
             * @description Days from the start to the end or to now, those begun counted whole.
             */
            days_running: number;
            /** @description `equal`, `custom` or `mab`. */
            distribution_mode: string;
            /**
             * Format: date
             * @description The last day that counts; today while it goes on.
             */
            end_date: string | null;
            /** @description It was added, changed or chosen after the plan was locked: good for ideas, and no proof. */
            exploratory?: boolean;
            /** @description Why, as a sentence. */
            exploratory_reason?: string | null;
            /** @description Key of the goal that the numbers at the top are of. */
            goal_key: string | null;
            /** @description Whether the data can be trusted. */
            health: components["schemas"]["Health"];
            /**
             * Format: int32
             * @description 1 for a multi-armed bandit.
             */
            is_mab: number;
            /** @description What the numbers were computed from; `muriel verify` computes them again. */
            manifest: Record<string, unknown>;
            /** @description The other metrics. */
            metrics: components["schemas"]["MetricResult"][];
            /** @description How the pages of the arms fared, the control first. */
            page_health: components["schemas"]["PageHealth"][];
            plan?: components["schemas"]["ResultPlan"] | null;
            /** @description What to know of the plan: why there is none, or that it was locked late. */
            plan_note?: string | null;
            primary_goal: components["schemas"]["GoalExcerpt"] | null;
            /** @description `pre_deploy`, `post_deploy` or `all_time`. */
            report_phase: unknown;
            /**
             * Format: double
             * @description Revenue per visitor.
             */
            rpv?: number | null;
            /** @description The arm that is served as the winner. */
            serving_variant_id: string | null;
            /**
             * Format: date
             * @description The first day that counts, in the asked time zone; null before the first start.
             */
            start_date: string | null;
            /** @description `bayesian` or `frequentist`: which view the team reads. */
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
             * @description Visitors who converted.
             */
            total_conversions: number;
            /**
             * Format: int64
             * @description Orders.
             */
            total_orders?: number | null;
            /**
             * Format: double
             * @description Value of the orders.
             */
            total_revenue?: number | null;
            /**
             * Format: int64
             * @description Visitors of all arms.
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
            /** @description What differs from the plan by now, each in a sentence. Empty: everything is as it was planned. */
            changed_since: string[];
            /**
             * Format: int64
             * @description Confidence threshold in percent.
             */
            confidence_threshold_percent: number;
            confirmed: components["schemas"]["PlanConfirmedBefore"] | null;
            /** @description Events that are reported. */
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
             * @description SHA-256 of its canonical form (RFC 8785), `manifest.plan.content`.
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            hash: string;
            /**
             * @description What of these changes the clock does not act on, and what it goes by in place of them; null where it goes by everything, and
             *     where none of its rules goes by results.
             */
            held_back: string | null;
            hypothesis: components["schemas"]["PlannedHypothesis"] | null;
            /**
             * Format: int64
             * @description The hypothesis that it tests.
             */
            hypothesis_id: number | null;
            /**
             * Format: date-time
             * @description When it was locked.
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
             * @description Planned total of visitors, for which the comparisons are tuned; null where none was given and none could be computed.
             */
            planned_visitors: number | null;
            primary_goal: components["schemas"]["PlannedGoal"] | null;
            /** @description Further goals, in their order. */
            secondary_goals: components["schemas"]["PlannedGoal"][];
            /** @description What ends it. */
            stop_rule: components["schemas"]["PlannedEnd"];
        };
        /** @description A change. */
        RevisionView: {
            /**
             * @description What was done: `create`, `update`, `status`, `restore`…
             * @example update
             */
            action: string;
            /** @description By whom. */
            actor: components["schemas"]["ActorView"];
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /** @description What is different since; empty for the creation. */
            changes: components["schemas"]["FieldChange"][];
            /** @description Why the clock did it, with its numbers, or which proposal it was; null of everything else. */
            detail: Record<string, unknown> | null;
            /**
             * Format: int64
             * @description Counts the changes; 1 is the creation. Restoring takes it.
             */
            revision: number;
        };
        /**
         * @description What a person may do: `viewer` reads, `editor` also makes and changes experiments, `admin` also settings, keys and people, `owner` also other owners.
         * @enum {string}
         */
        RoleName: "viewer" | "editor" | "admin" | "owner";
        /** @description A new rollout. */
        RolloutBody: {
            /**
             * Format: int64
             * @description To how many percent of the visitors.
             */
            traffic_allocation: number;
        };
        /** @description A project's ruleset; docs/assignment.md describes it. */
        RulesetDocument: {
            experiments: Record<string, unknown>[];
            /**
             * Format: int64
             * @description 1.
             */
            format: number;
            /**
             * Format: int64
             * @description The version of hashing, 1.
             */
            hash: number;
            project_key: string;
        };
        /** @description Many runs, counted. */
        Runs: {
            /** @description Called at any look. */
            called: components["schemas"]["RunShareView"];
            /** @description Days on which visitors entered. */
            days: components["schemas"]["RunSpread"];
            /** @description What ended them. */
            ended_by: components["schemas"]["EndShares"];
            /** @description The first variant was called a win at any look. */
            ever_won: components["schemas"]["RunShareView"];
            /** @description Another variant than the first was called. */
            others_called: components["schemas"]["RunShareView"];
            /**
             * Format: int64
             * @description How many.
             */
            runs: number;
            /** @description How the first variant's run ends. */
            verdicts: components["schemas"]["VerdictShares"];
            /** @description Visitors of all arms. */
            visitors: components["schemas"]["RunSpread"];
        };
        /** @description A share of the runs, and where the share of endlessly many lies with 95 % confidence. */
        RunShareView: {
            /**
             * Format: int64
             * @description How many.
             */
            count: number;
            /**
             * Format: double
             * @description In percent.
             */
            lower: number;
            /**
             * Format: double
             * @description In percent.
             */
            percent: number;
            /**
             * Format: double
             * @description In percent.
             */
            upper: number;
        };
        /** @description How a number varies over the runs. */
        RunSpread: {
            /**
             * Format: double
             * @description On average.
             */
            mean: number;
            /**
             * Format: int64
             * @description Half of the runs have at most this.
             */
            median: number;
            /**
             * Format: int64
             * @description Nine of ten have at most this.
             */
            nine_of_ten: number;
        };
        /** @description Many runs in which the first variant has a lift. */
        RunsWithEffect: {
            /** @description Called at any look. */
            called: components["schemas"]["RunShareView"];
            /** @description Days on which visitors entered. */
            days: components["schemas"]["RunSpread"];
            /**
             * Format: double
             * @description The true lift of the first variant, in percent.
             */
            effect: number;
            /** @description What ended them. */
            ended_by: components["schemas"]["EndShares"];
            /** @description The first variant was called a win at any look. */
            ever_won: components["schemas"]["RunShareView"];
            /** @description Another variant than the first was called. */
            others_called: components["schemas"]["RunShareView"];
            /** @description Runs that ended with the right verdict. */
            power: components["schemas"]["RunShareView"];
            /**
             * Format: int64
             * @description How many.
             */
            runs: number;
            /** @description How the first variant's run ends. */
            verdicts: components["schemas"]["VerdictShares"];
            /** @description Visitors of all arms. */
            visitors: components["schemas"]["RunSpread"];
        };
        /** @description Hours of the week in the visitor's time. */
        Schedule: {
            /** @description Any of the groups. */
            schedule_groups: components["schemas"]["ScheduleGroup"][];
        };
        /** @description Days and the hours on them. */
        ScheduleGroup: {
            /** @description Days of the week. */
            days: components["schemas"]["Day"][];
            /** @description Any of the ranges. */
            time_ranges: components["schemas"]["TimeRange"][];
        };
        /**
         * @description A permission.
         * @enum {string}
         */
        ScopeName: "read" | "write" | "code" | "evaluate" | "admin";
        /** @description An arm as of the end of a day. */
        SeriesPoint: {
            /**
             * Format: double
             * @description Percent.
             */
            conversion_rate: number | null;
            /**
             * Format: int64
             * @description Those who had converted.
             */
            conversions: number;
            /**
             * Format: date
             * @description The day.
             */
            date: string;
            /**
             * Format: double
             * @description As in the result; null on the control.
             */
            lift: number | null;
            /** @description As in the result: the intervals of all days hold together. */
            lift_interval: number[] | null;
            /**
             * Format: double
             * @description As in the result.
             */
            p_value: number | null;
            /**
             * Format: double
             * @description Value of their orders; null for other goals.
             */
            revenue: number | null;
            /** @description `"0"` is the control. */
            variant_id: string;
            /**
             * Format: int64
             * @description Visitors who had entered.
             */
            visitors: number;
        };
        /** @description Which winner to serve, and to how many. */
        ServeBody: {
            /**
             * Format: int64
             * @description To how many percent of the visitors.
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
             * @description The experiment's id.
             */
            test_id: number;
        };
        /** @description Who is signed in, and what they may do. */
        SessionAnswer: {
            /**
             * @description The company's name.
             * @example Acme
             */
            company: string;
            /**
             * @description What to send as `X-Muriel-CSRF` with each request that changes something.
             * @example 3499569de30c660a1ae3cefa2008ac72
             */
            csrf: string;
            /**
             * Format: date-time
             * @description When the session ends if nothing is done with it before: 12 hours after its last use, and 30 days after the sign-in at
             *     the latest.
             */
            expires_at: string;
            /** @description Who is signed in. */
            person: components["schemas"]["Person"];
            /** @description The projects that the person sees, oldest first. */
            projects: components["schemas"]["SessionProject"][];
            /** @description The role in the company. */
            role: components["schemas"]["RoleName"];
            /** @description Always true. */
            success: boolean;
        };
        /** @description A browser in which somebody is signed in. */
        SessionItem: {
            /**
             * Format: date-time
             * @description When it was begun.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it ends if it is not used before.
             */
            expires_at: string;
            /** @description Whether it is the one that asks. */
            is_current: boolean;
            /**
             * Format: date-time
             * @description When it was last used, to the minute.
             */
            last_seen_at: string;
            /**
             * @description How the person signed in.
             * @example password
             */
            method: string;
            /**
             * @description The network that it was begun from: a /24 of IPv4, or a /48 of IPv6.
             * @example 203.0.113.0/24
             */
            network: string;
            /**
             * Format: int64
             * @description Identifies the session.
             */
            session_id: number;
            /**
             * @description What the browser called itself, at most 255 characters.
             * @example Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0
             */
            user_agent: string;
        };
        /** @description One's own sessions. */
        SessionList: {
            /** @description How many there are. */
            count: number;
            /**
             * @description Second factors that were wrong after the right password within the last 30 days, newest first, at most 20. If that was not
             *     you, somebody else may know your password: choose another.
             */
            refused: components["schemas"]["RefusedSecondFactor"][];
            /** @description Latest sign-in first. */
            sessions: components["schemas"]["SessionItem"][];
            /** @description Always true. */
            success: boolean;
        };
        /** @description A project that somebody sees. */
        SessionProject: {
            /**
             * @description Display name.
             * @example Shop
             */
            name: string;
            /**
             * @description The project's key.
             * @example prj_Q2f8kX3mD7tYwR5vB9cN1s
             */
            project_key: string;
            role: components["schemas"]["RoleName"] | null;
            /** @description What may be done there. */
            scopes: components["schemas"]["ScopeName"][];
        };
        /** @description Sessions were ended. */
        SessionsRevoked: {
            /**
             * Format: int64
             * @description How many sessions were ended.
             */
            revoked: number;
            /** @description Always true. */
            success: boolean;
        };
        /** @description A link to a result. */
        Share: {
            /**
             * Format: date-time
             * @description When it was made.
             */
            created_at: string;
            /** @description By whom. */
            created_by: components["schemas"]["ActorView"];
            /**
             * Format: date-time
             * @description From when on it does not work.
             */
            expires_at: string;
            /**
             * Format: date-time
             * @description The hour in which it was last opened; null if never. Who opened it is not kept.
             */
            opened_at: string | null;
            /** @description Which visitors the result is about. */
            query: components["schemas"]["ShareQuery"];
            /**
             * Format: date-time
             * @description When it was revoked.
             */
            revoked_at: string | null;
            revoked_by: components["schemas"]["ActorView"] | null;
            /**
             * Format: int64
             * @description Identifies it. It opens nothing.
             */
            share_id: number;
            /** @description Whether it works. */
            state: components["schemas"]["ShareState"];
        };
        /** @description A link to make. */
        ShareBody: {
            /**
             * Format: int64
             * @description Days for which it works.
             * @default 30
             */
            expires_in_days?: number;
            /** @description Which visitors the result is about; all of them unless given. */
            query?: components["schemas"]["ShareQueryBody"];
        };
        /** @description A link was made. */
        ShareCreated: {
            /** @description What was made. */
            share: components["schemas"]["Share"];
            /** @description Always true. */
            success: boolean;
            /**
             * @description The link. Whoever has it reads the result; it is not stored and not told again.
             * @example https://muriel.example/share/q7J2m…
             */
            url: string;
        };
        /** @description The name of a goal. What it matches is not told. */
        SharedGoal: {
            /** @description Its permanent name. */
            goal_key: string;
            /** @description Display name. */
            goal_name: string;
        };
        /** @description What somebody with a link sees of a result. The manifest, ids of experiments and what goals match are not in it. */
        SharedResult: {
            /**
             * Format: double
             * @description Average order value.
             */
            aov?: number | null;
            /**
             * Format: date-time
             * @description The moment that the result is of; it may be a minute ago.
             */
            as_of: string;
            /** @description The arms by the attribute of the query; the largest part first, at most 50 and the rest. */
            breakdowns: components["schemas"]["Breakdown"][];
            /**
             * Format: int64
             * @description Confidence threshold in percent.
             */
            confidence_threshold_percent: number;
            /** @description ISO 4217; null when no order names one. */
            currency?: string | null;
            /**
             * Format: int64
             * @description Days from the start to the end or to now, those begun counted whole.
             */
            days_running: number;
            /** @description `equal`, `custom` or `mab`. */
            distribution_mode: string;
            /**
             * Format: date
             * @description The last day that counts; today while it goes on.
             */
            end_date: string | null;
            /**
             * Format: date-time
             * @description Until when the link works.
             */
            expires_at: string;
            /** @description It was added, changed or chosen after the plan was locked: good for ideas, and no proof. */
            exploratory?: boolean;
            /** @description Why, as a sentence. */
            exploratory_reason?: string | null;
            /** @description Key of the goal that the numbers at the top are of. */
            goal_key: string | null;
            /** @description Its name. */
            goal_name: string | null;
            /** @description Whether the data can be trusted. Sentences that name other experiments, single orders or the server say less here. */
            health: components["schemas"]["Health"];
            /**
             * Format: int32
             * @description 1 for a multi-armed bandit.
             */
            is_mab: number;
            /** @description The other metrics. */
            metrics: components["schemas"]["MetricResult"][];
            /** @description How the pages of the arms fared. */
            page_health: components["schemas"]["PageHealth"][];
            primary_goal: components["schemas"]["SharedGoal"] | null;
            /** @description Which visitors the result is about; fixed when the link was made. */
            query: components["schemas"]["ShareQuery"];
            /** @description `pre_deploy`, `post_deploy` or `all_time`. */
            report_phase: unknown;
            /**
             * Format: double
             * @description Revenue per visitor.
             */
            rpv?: number | null;
            /** @description The arm that is served as the winner. */
            serving_variant_id: string | null;
            /**
             * Format: date
             * @description The first day that counts, in the time zone of the query; null before the first start.
             */
            start_date: string | null;
            /** @description `bayesian` or `frequentist`: which view the team reads. */
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
            /** @description `abtest`, `split` or `personalization`: arms of the last have audiences of their own, so their differences are not effects. */
            test_type: string;
            /**
             * Format: int64
             * @description Visitors who converted.
             */
            total_conversions: number;
            /**
             * Format: int64
             * @description Orders.
             */
            total_orders?: number | null;
            /**
             * Format: double
             * @description Value of the orders.
             */
            total_revenue?: number | null;
            /**
             * Format: int64
             * @description Visitors of all arms.
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
        /** @description The result of a link, day by day. It has no `health`: the result has. */
        SharedTimeseries: {
            /** @description It was added, changed or chosen after the plan was locked: good for ideas, and no proof. */
            exploratory?: boolean;
            /** @description Arms that are not part of the plan that was locked at the first start. */
            exploratory_arms?: components["schemas"]["ExploratoryArm"][];
            /** @description Why, as a sentence. */
            exploratory_reason?: string | null;
            /** @description Key of the goal that the numbers are of. */
            goal_key: string | null;
            /** @description Always true. */
            success: boolean;
            /** @description Cumulative, by day and then by arm. */
            timeseries: components["schemas"]["SeriesPoint"][];
            /** @description Where days begin. */
            tz: string;
        };
        /** @description The links to an experiment's result. */
        ShareList: {
            /** @description Newest first, at most 200. Those that have ended are kept for a while. */
            shares: components["schemas"]["Share"][];
            /** @description Always true. */
            success: boolean;
        };
        /** @description Which visitors a result is about: what the parameters of a result are called. */
        ShareQuery: {
            /** @description The attribute that the result is cut by. */
            breakdown_by: string | null;
            /**
             * Format: date
             * @description Visitors who entered, and what they did, until the end of this day.
             */
            end_date: string | null;
            /**
             * Format: int64
             * @description Visitors who entered in this epoch; null for all.
             */
            epoch: number | null;
            /**
             * @description Words separated by commas that all hold; null for all visitors.
             * @example mobile,country-DE
             */
            filter_by: string | null;
            /** @description The goal at the top; null for the primary one. */
            goal_key: string | null;
            /** @description `pre_deploy`, `post_deploy` or `all_time`. */
            report_phase: string;
            /**
             * Format: date
             * @description Visitors who entered on this day or later.
             */
            start_date: string | null;
            /** @description Where days begin. */
            tz: string;
        };
        /** @description Which visitors a result is about: the parameters of a result, as members of an object. Null is like one that is left out. */
        ShareQueryBody: {
            /** @description One of `device browser os country user_type landing_page referrer utm_source utm_medium utm_campaign`. */
            breakdown_by?: string | null;
            /**
             * Format: date
             * @description Visitors who entered, and what they did, until the end of this day.
             */
            end_date?: string | null;
            /**
             * Format: int64
             * @description Visitors who entered in this epoch.
             */
            epoch?: number | null;
            /**
             * @description Of `mobile desktop tablet new returning paid search direct country-XX`, separated by commas.
             * @example mobile,country-DE
             */
            filter_by?: string | null;
            /** @description The goal to report; the primary one by default. */
            goal_key?: string | null;
            /** @description `pre_deploy` (default), `post_deploy` or `all_time`. */
            report_phase?: string | null;
            /**
             * Format: date
             * @description Visitors who entered on this day or later.
             */
            start_date?: string | null;
            /** @description Where days begin: an IANA name (`Europe/Berlin`) or an hour offset (`2`). UTC by default. */
            tz?: string | null;
        };
        /** @description A link was revoked. */
        ShareRevoked: {
            /**
             * Format: int64
             * @description Which one.
             */
            share_id: number;
            /** @description Always true. */
            success: boolean;
        };
        /**
         * @description Whether a link to a result works.
         * @enum {string}
         */
        ShareState: "open" | "expired" | "revoked";
        /** @description Somebody signed out. */
        SignedOut: {
            /** @description Always true. */
            signed_out: boolean;
            /** @description Always true. */
            success: boolean;
        };
        /** @description Who signs in. */
        SignInBody: {
            /**
             * @description The e-mail address, in any letter case.
             * @example ada@example.com
             */
            email: string;
            /**
             * @description The password.
             * @example correct horse battery
             */
            password: string;
            /**
             * @description The six digits of the authenticator, or a recovery code; needed by who has enrolled one.
             * @example 123456
             */
            totp?: string;
        };
        /** @description The ways to sign in to this server. */
        SignInMethods: {
            /** @description Whether nobody can sign in yet: the server prints a link for the first owner when it starts. */
            needs_first_owner: boolean;
            /**
             * @description The name of the OpenID provider, whose sign-in begins at `/v2/session/oidc/start`; null without one.
             * @example Acme
             */
            oidc: string | null;
            /** @description Whether passkeys are taken: browsers make them for names, not for addresses such as 127.0.0.1. */
            passkeys: boolean;
            /** @description Whether e-mail address and password are taken. */
            password: boolean;
            /** @description Always true. */
            success: boolean;
        };
        /** @description The experiment whose plan is simulated. */
        SimulatedExperiment: {
            /** @description The goal that decides. */
            goal_key: string | null;
            /**
             * Format: int64
             * @description Identifies the experiment.
             */
            test_id: number;
            /** @description Display name. */
            test_name: string;
        };
        /** @description How a simulated experiment is judged, and when it ends. */
        SimulatedPlan: {
            /**
             * Format: double
             * @description In percent.
             */
            confidence: number;
            /**
             * Format: int32
             * @description Days on which visitors enter at most.
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
             * @description The planned total of visitors.
             */
            planned_visitors: number | null;
            /**
             * Format: double
             * @description Percent of experiments without a difference that may be called at most.
             */
            promised_false_calls: number;
            /** @description The rules by which it ends earlier. */
            stops: components["schemas"]["SimulatedStops"];
            /** @description The arms' weights in percent, control first. */
            weights: number[];
            /**
             * Format: int32
             * @description Days that a visitor has to convert; 0 without such a window.
             */
            window_days: number;
        };
        /** @description The rules by which a simulated experiment ends. */
        SimulatedStops: {
            /**
             * Format: int64
             * @description After so many conversions.
             */
            conversions: number | null;
            /**
             * Format: int32
             * @description After so many days.
             */
            days: number | null;
            /** @description When a variant is called better or worse. */
            significant: boolean;
            /**
             * Format: int64
             * @description After so many visitors.
             */
            visitors: number | null;
        };
        /** @description The visitors that a plan was tried on. */
        SimulatedVisitors: {
            /** @description Where that number is from. */
            baseline_from: components["schemas"]["NumberSource"];
            /**
             * Format: double
             * @description Percent of the control's visitors who convert.
             */
            baseline_rate: number;
            /** @description Where that number is from. */
            daily_from: components["schemas"]["NumberSource"];
            /**
             * Format: double
             * @description Who enter a day.
             */
            daily_visitors: number;
            /**
             * Format: double
             * @description How far lognormal order values are apart; null for conversions.
             */
            sigma: number | null;
        };
        /** @description What the experiment's plan would do if it were run many times on made-up visitors. */
        Simulation: {
            /**
             * Format: double
             * @description Days that the plan takes, where those are more than are simulated.
             */
            days_needed: number | null;
            /** @description Whose plan it is. */
            experiment: components["schemas"]["SimulatedExperiment"];
            /**
             * Format: double
             * @description The smallest lift in percent that is found in 80 of 100 experiments in the time there is; null where none is.
             */
            lift_found: number | null;
            /** @description How it is judged, and when it ends. */
            plan: components["schemas"]["SimulatedPlan"];
            /** @description Whether false alarms are at most as many as the plan promises: `kept`, `open` (more runs are needed to say), `broken`. */
            promise: components["schemas"]["SimulationPromise"];
            /**
             * Format: int64
             * @description The seed of the random numbers.
             */
            seed: number;
            /** @description Always true. */
            success: boolean;
            /** @description The visitors that it was tried on. */
            visitors: components["schemas"]["SimulatedVisitors"];
            /**
             * Format: double
             * @description Visitors with which the lift is found in 80 of 100 experiments; null where no number does.
             */
            visitors_needed: number | null;
            with_effect: components["schemas"]["RunsWithEffect"] | null;
            /** @description What becomes of it when nothing differs: every call is a false alarm. */
            without_effect: components["schemas"]["Runs"];
        };
        /** @description How to simulate a plan. */
        SimulationBody: {
            /**
             * Format: double
             * @description Percent of the control's visitors who convert; from the project's last two weeks unless given, else 5.
             */
            baseline_rate?: number;
            /**
             * Format: double
             * @description Visitors who enter per day; from the project's last two weeks unless given, else 1,000.
             */
            daily_visitors?: number;
            /**
             * Format: int64
             * @description Days after which it ends if no rule has ended it; the length of the plan unless given.
             */
            days?: number;
            /**
             * Format: double
             * @description True lift of Variant 1 in percent; the smallest lift worth acting on unless given.
             */
            lift?: number;
            /**
             * Format: int64
             * @description Experiments to simulate.
             * @default 500
             */
            runs?: number;
            /**
             * Format: int64
             * @description Seed of the random numbers: the same seed gives the same answer.
             * @default 1
             */
            seed?: number;
        };
        /**
         * @description What a simulated goal counts.
         * @enum {string}
         */
        SimulationMeasure: "conversion" | "revenue";
        /**
         * @description Whether false alarms are at most as many as promised.
         * @enum {string}
         */
        SimulationPromise: "kept" | "open" | "broken";
        /** @description A new status. */
        StatusBody: {
            /** @description Fields that change in the same step, as an update sends them. The answer's warnings are those of the update too. */
            changes?: components["schemas"]["ExperimentPatch"];
            /**
             * Format: date-time
             * @description From when on visitors count, with status 1 and before the first start: a test that ran elsewhere may have started in the
             *     past, 1,500 days ago at most. Needs the scope `admin`.
             */
            started_at?: string;
            /** @description The status to move to. */
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
             * @description The planned total of visitors that was computed, as it was started for the first time and none was given.
             */
            planned_visitors?: number | null;
            /** @description The status it has now. */
            status: components["schemas"]["StatusCode"];
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Its id.
             */
            test_id: number;
            /** @description What to look at, such as a missing primary goal or code that is not valid JavaScript: sentences that name the field. */
            warnings: string[];
        };
        /**
         * @description How a check went.
         * @enum {string}
         */
        StepOutcome: "pass" | "fail" | "unknown" | "not_enforced";
        /**
         * @description An operating system.
         * @enum {string}
         */
        System: "windows" | "macOS" | "linux" | "chromeOS" | "ios" | "android";
        /** @description For whom and where an experiment runs. What is left out or empty restricts nothing. */
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
            /** @description What the visitor did before: all of the entries. */
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
            /** @description Pages; an exclusion beats an inclusion. */
            url_rule?: components["schemas"]["UrlRule"][];
            /** @description `new` or `returning`, alone or as a list of one. */
            user_rule?: components["schemas"]["UserRule"];
        };
        /**
         * @description `abtest` changes the page, `split` sends to other pages, `personalization` gives each variant its audience.
         * @enum {string}
         */
        TestType: "abtest" | "split" | "personalization";
        /** @description From `start` to `end`, past midnight when `end` is the earlier one. */
        TimeRange: {
            /** @description `HH:MM`; `24:00` ends a day. */
            end: string;
            /** @description `HH:MM`. */
            start: string;
        };
        /** @description An experiment day by day. */
        TimeseriesAnswer: {
            /**
             * @description What a bandit had lost by the end of each day, by what is known of its arms now. Absent of others, and until something
             *     is known of every arm.
             */
            bandit?: components["schemas"]["BanditPoint"][];
            /** @description It was added, changed or chosen after the plan was locked: good for ideas, and no proof. */
            exploratory?: boolean;
            /** @description Arms that are not part of the plan that was locked at the first start. */
            exploratory_arms?: components["schemas"]["ExploratoryArm"][];
            /** @description Why, as a sentence. */
            exploratory_reason?: string | null;
            /** @description Key of the goal that the numbers are of. */
            goal_key: string | null;
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Identifies the experiment.
             */
            test_id: number;
            /** @description Cumulative, by day and then by arm. */
            timeseries: components["schemas"]["SeriesPoint"][];
            /** @description Where days begin. */
            tz: string;
        };
        /** @description An authenticator that is about to be enrolled. */
        TotpBegun: {
            /**
             * @description The secret in base 32, to type.
             * @example JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP
             */
            secret: string;
            /** @description Always true. */
            success: boolean;
            /**
             * @description The same as an address, to show as a QR code.
             * @example otpauth://totp/Muriel:ada%40example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Muriel
             */
            uri: string;
        };
        /** @description Six digits of the authenticator. */
        TotpCodeBody: {
            /**
             * @description The digits that it shows now.
             * @example 123456
             */
            code: string;
        };
        /** @description An authenticator was enrolled. */
        TotpEnrolled: {
            /** @description Codes for when the authenticator is lost; each works once in place of the digits. They are shown this once. */
            recovery_codes: string[];
            /** @description Always true. */
            success: boolean;
        };
        /** @description An authenticator was removed. */
        TotpRemoved: {
            /** @description Whether there was one. */
            removed: boolean;
            /** @description Always true. */
            success: boolean;
        };
        /**
         * @description How a page's URL is compared.
         * @enum {string}
         */
        UrlMatch: "simple" | "exact" | "contain" | "wildcard" | "regex";
        /** @description A page on which an experiment runs, or does not. */
        UrlRule: {
            /**
             * @description Runs there (the default), or must not.
             * @default true
             */
            allowed?: boolean;
            /** @description How it is compared. */
            rule: components["schemas"]["UrlMatch"];
            /** @description Address, part of one, or pattern. */
            url: string;
        };
        /** @description `new` or `returning`, alone or as a list of one. */
        UserRule: string | string[];
        /** @description A treatment. */
        Variant: {
            /** @description Style that only this variant gets. */
            customCSS: string;
            /** @description Code that only this variant runs. */
            customJS: string;
            /** @description Visual changes, applied in order. */
            data: components["schemas"]["Change"][];
            /** @description `Variant 1`, `Variant 2`… by position. */
            name: string;
            /** @description Label for people. */
            nickname: string;
            /** @description For whom; personalizations only. */
            targeting?: components["schemas"]["Audience"];
        };
        /** @description A treatment. */
        VariantBody: {
            /** @description Style that only this variant gets; at most 512 KiB. */
            customCSS?: string;
            /** @description Code that only this variant runs; at most 512 KiB. */
            customJS?: string;
            /** @description Visual changes, applied in order. */
            data?: components["schemas"]["Change"][];
            /** @description `Variant 1`, `Variant 2`… by position. */
            name: string;
            /** @description Label for people. */
            nickname?: string;
            /** @description For whom; personalizations only. */
            targeting?: components["schemas"]["Audience"];
        };
        /** @description An arm and what it did. */
        VariantResult: {
            analysis?: components["schemas"]["AnalysisResult"] | null;
            /**
             * Format: double
             * @description Average order value.
             */
            aov?: number | null;
            /** @description What its changes found on visitors' pages, of the first 60; those of which no page has told are left out. */
            changes: components["schemas"]["ChangeFound"][];
            /**
             * Format: double
             * @description Percent; null without visitors, and of a built-in metric where nobody sent a page view.
             */
            conversion_rate: number | null;
            /**
             * Format: int64
             * @description Those of them who converted.
             */
            conversions: number;
            /** @description ISO 4217; null when no order names one. */
            currency?: string | null;
            /** @description It was added, changed or chosen after the plan was locked: good for ideas, and no proof. */
            exploratory?: boolean;
            /** @description Why, as a sentence. */
            exploratory_reason?: string | null;
            /**
             * Format: double
             * @description Percent that the arm does more than the control, as it is shown; not on the control.
             */
            improvement?: number | null;
            /** @description Whether it is the control. */
            is_control: boolean;
            /** @description `Control`, `Variant 1`… */
            name: string;
            /** @description The team's name for it. */
            nickname: string;
            /**
             * Format: int64
             * @description Visitors whose time to convert still runs: shown, and not compared yet.
             */
            open_visitors?: number | null;
            /**
             * Format: date-time
             * @description When its code was last changed or its name used again after the first
             *     start: what was recorded before belongs to what it was. Null if never.
             */
            redefined_at: string | null;
            /**
             * Format: double
             * @description Revenue per visitor.
             */
            rpv?: number | null;
            /**
             * Format: int64
             * @description Orders.
             */
            total_orders?: number | null;
            /**
             * Format: double
             * @description Value of the orders.
             */
            total_revenue?: number | null;
            /**
             * Format: double
             * @description Percent of the traffic that it gets now, or got in the epoch that was asked for.
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
        /** @description Runs by the verdict on the first variant at their end. */
        VerdictShares: {
            do_not_trust: components["schemas"]["RunShareView"];
            keep_running: components["schemas"]["RunShareView"];
            loss: components["schemas"]["RunShareView"];
            no_difference: components["schemas"]["RunShareView"];
            win: components["schemas"]["RunShareView"];
        };
        /**
         * @description What a metric says of the variants.
         * @enum {string}
         */
        VerdictWord: "win" | "loss" | "no_difference" | "keep_running" | "do_not_trust";
        /** @description A part of the events of a visitor. */
        VisitorEvents: {
            /** @description How many events are in `events`. */
            count: number;
            /**
             * @description Where the next part begins, as the parameter `cursor`; null at the end of the log. A part may have fewer events than
             *     asked for, or none, and not be the last.
             * @example 1204-17
             */
            cursor: string | null;
            /**
             * Format: int64
             * @description Damaged blocks that were passed: what they had of the visitor is missing.
             */
            damaged_blocks: number;
            /** @description The events as they are stored, in the order in which they were received. */
            events: Record<string, unknown>[];
            /**
             * @description Other servers on the same database that run, or that took events: what they have of the visitor is in their own
             *     answers.
             */
            other_nodes: number;
            /** @description Always true. */
            success: boolean;
        };
        /** @description A deletion of a visitor's data. */
        VisitorJobAnswer: {
            /**
             * Format: int64
             * @description Blocks of event logs that are damaged, so that nobody knows whether they have events of the visitor.
             */
            damaged_blocks: number;
            /**
             * Format: int64
             * @description Events that were deleted so far.
             */
            events: number;
            /**
             * Format: date-time
             * @description When nothing was left; null until then.
             */
            finished_at: string | null;
            /** @description How far each node is. Empty when no node has an event log. */
            nodes: components["schemas"]["VisitorJobNode"][];
            /**
             * Format: date-time
             * @description When it was asked for.
             */
            requested_at: string;
            /**
             * @description Who asked for it: the id of an API key, the name of a person, or `command line`.
             * @example 3fK2aQ9z
             */
            requested_by: string;
            /**
             * @description `pending`: some node's event log may still have events of the visitor. `compacting`: they are out of all logs and
             *     results; bytes of them remain in a file until it is rebuilt. `done`: nothing is left.
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
        /** @description How far a node is with a deletion. */
        VisitorJobNode: {
            /**
             * Format: int64
             * @description How often it was begun.
             */
            attempts: number;
            /**
             * Format: int64
             * @description Blocks of its event log that are damaged.
             */
            damaged_blocks: number;
            /**
             * Format: int64
             * @description Events that it deleted.
             */
            events: number;
            /**
             * Format: int64
             * @description The last block of its event log that was examined: events in later blocks came after the deletion and stay. Null
             *     until then.
             */
            examined_block: number | null;
            /**
             * Format: date-time
             * @description When it was done; null until then.
             */
            finished_at: string | null;
            /**
             * @description The id of the node, as `muriel node list` shows it; `local` on SQLite.
             * @example local
             */
            node: string;
            /**
             * Format: int64
             * @description Percent of its event log that was read in the present attempt.
             */
            percent: number;
            /**
             * @description Why the last attempt failed; it is made again. Null when it did not.
             * @example the event log cannot be read
             */
            reason: string | null;
            /** @description As the status of the deletion. */
            status: components["schemas"]["VisitorJobStatus"];
        };
        /**
         * @description How far a deletion is.
         * @enum {string}
         */
        VisitorJobStatus: "pending" | "compacting" | "done";
        /** @description Whether one watches an experiment. */
        WatchAnswer: {
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description The experiment.
             */
            test_id: number;
            /** @description How many people watch it, of those who see the project. */
            watchers: number;
            /** @description Whether one watches it. */
            watching: boolean;
        };
        /** @description An address that is told what happens in the project. */
        Webhook: {
            /**
             * Format: date-time
             * @description When it was made.
             */
            created_at: string;
            /**
             * @description What it is for.
             * @example Posts to the team's channel
             */
            description: string;
            /**
             * Format: date-time
             * @description When it was switched off; null while it is on.
             */
            disabled_at: string | null;
            /**
             * @description Why it was switched off; null while it is on.
             * @example every attempt of five days failed, the last one: answered 500
             */
            disabled_reason: string | null;
            /** @description Whether it is on. */
            enabled: boolean;
            /** @description What it is told. */
            events: components["schemas"]["EventName"][];
            /**
             * Format: date-time
             * @description When it began to fail; null while the last attempt succeeded.
             */
            failing_since: string | null;
            /**
             * @description Where messages are sent to.
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
             * @description What it is for.
             * @example Posts to the team's channel
             */
            description?: string;
            /** @description What it is told. */
            events: components["schemas"]["EventName"][];
            /**
             * @description Where messages are sent to: an http or https URL that the public internet can reach.
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
             * @description Its id.
             */
            webhook_id: number;
        };
        /** @description A webhook was made. */
        WebhookCreated: {
            /**
             * @description What its messages are signed with. It is shown this once.
             * @example whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazfhXLp0Y2E=
             */
            secret: string;
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Its id.
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
             * @description The id it had.
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
             * @description What it is for.
             * @example Posts to the team's channel
             */
            description?: string;
            /** @description Whether it is on. Switching it off gives up the deliveries that wait; each can be sent again. */
            enabled?: boolean;
            /** @description The complete new list of what it is told. */
            events?: components["schemas"]["EventName"][];
            /**
             * @description Where messages are sent to: an http or https URL that the public internet can reach.
             * @example https://hooks.example.com/muriel
             */
            url?: string;
        };
        /** @description A webhook has a new secret. */
        WebhookRotated: {
            /**
             * Format: date-time
             * @description Until when the old secret signs too.
             */
            old_secret_until: string;
            /**
             * @description What its messages are signed with. It is shown this once.
             * @example whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazfhXLp0Y2E=
             */
            secret: string;
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description Its id.
             */
            webhook_id: number;
        };
        /** @description Percent per arm, by name, with up to two decimals; every arm is named; they sum to 100. */
        Weights: {
            [key: string]: number;
        };
        /**
         * @description Every experiment of the project, also those that are made later.
         * @enum {string}
         */
        WholeProject: "project";
        /** @description A winner is served. */
        WinnerServed: {
            /** @description Always true. */
            is_serving: boolean;
            /** @description The arm. */
            serving_variant_id: string;
            /** @description Always true. */
            success: boolean;
            /**
             * Format: int64
             * @description The experiment's id.
             */
            test_id: number;
            /**
             * Format: int64
             * @description To how many percent of the visitors.
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
            /** @description One result per event in the order sent; each that is `ok` is durable. */
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
            /** @description Each item is a line: the outcome of a line that was sent, blank ones left out, in the order sent. Each event that is `ok` is durable. */
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
            /** @description Null where it is not known. Never cached. */
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
                /** @description Only if the answer no longer has this ETag; 304 otherwise. */
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
            /** @description The script, compressed if the client takes that, with an ETag; drafts are never in it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/javascript": string;
                };
            };
            /** @description The version named in If-None-Match is the present one. */
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
                /** @description Only if the answer no longer has this ETag; 304 otherwise. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The part's name. */
                part: "source" | "changes" | "split" | "goals" | "orders" | "badge";
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
            /** @description The version named in If-None-Match is the present one. */
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
            header?: {
                /** @description Only if the experiment still has this ETag; 412 otherwise. */
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
                "application/json": components["schemas"]["PreviewReport"];
                "text/plain": components["schemas"]["PreviewReport"];
            };
        };
        responses: {
            /** @description It is noted. */
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
                /** @description Only if the answer no longer has this ETag; 304 otherwise. */
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
            /** @description The ruleset, compressed if the client takes that, with an ETag; drafts are never in it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RulesetDocument"];
                };
            };
            /** @description The version named in If-None-Match is the present one. */
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
            /** @description A point per day and arm, of at most a minute ago. */
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
                /** @description Only what this actor did: a person's id or e-mail address, the 8 characters of a key, or a name such as `command line`. */
                actor?: string;
                /** @description `next_cursor` of the page before. */
                cursor?: string;
                /** @description Only entries from this moment on; a date is its midnight in UTC. */
                from?: string;
                /** @description Page size; 50 unless given, at most 500: more is cut to that. */
                limit?: number;
                /** @description Only what was done to things of this kind (`experiment`), or to this thing (`experiment:17`). */
                object?: string;
                /** @description Only what was done in the project with this key. */
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
                /** @description Only what this actor did: a person's id or e-mail address, the 8 characters of a key, or a name such as `command line`. */
                actor?: string;
                /** @description The `X-Muriel-Cursor` of the page before. */
                cursor?: string;
                /** @description Only entries from this moment on; a date is its midnight in UTC. */
                from?: string;
                /** @description Entries; 10,000 unless given, which is the most. */
                limit?: number;
                /** @description Only what was done to things of this kind (`experiment`), or to this thing (`experiment:17`). */
                object?: string;
                /** @description Only what was done in the project with this key. */
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
            /** @description The table. */
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
                /** @description The `next_cursor` of the page before. */
                cursor?: string;
                /** @description Page size; 50 unless given, at most 100: more is cut to that. */
                limit?: number;
                /** @description `true` lists only what was not read. */
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
            /** @description It is marked. */
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
            /** @description They are marked. */
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
            /** @description What it is for. */
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
            /** @description It is refused from now on. */
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
            /** @description The key was made. */
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
                /** @description `exclude` (default) leaves those in the archive out, `include` does not, and `only` leaves out the others. */
                archived?: string;
                /** @description Only those that are not concluded and have ended, or whose planned visitors have entered (`true`); or only the others. */
                complete?: boolean;
                /** @description The `next_cursor` of the page before. */
                cursor?: string;
                /** @description Of `ok`, `warn`, `fail` and `unknown`, separated by commas. */
                health?: string;
                /** @description Page size; 50 unless given, at most 500: more is cut to that. */
                limit?: number;
                /** @description How they were concluded, words separated by commas; `none` for those that are not. */
                outcome?: string;
                /** @description Only those that this actor made, by the `id` of an owner, or `me`. */
                owner?: string;
                /** @description Keys of projects, separated by commas. */
                project?: string;
                /** @description Only those whose name, key, page or labels contain this text; letter case does not matter. An id finds its experiment too. */
                search?: string;
                /** @description Only those whose winner is served (`true`), or only the others (`false`). */
                served?: boolean;
                /** @description One of `need`, `last_change`, `created_at`, `test_name`, `status`, `verdict`, `health`, `visitors`, `days` and `days_left`, with `-` before it for the greatest first; `-last_change` unless given. What is not known comes last. `need` begins with what is broken, then to serve, to stop, waiting for approval and complete; of each kind what was changed last comes first. */
                sort?: string;
                /** @description Of `draft`, `live` and `inactive`, separated by commas. */
                status?: string;
                /** @description Only those with this label. */
                tag?: string;
                /** @description Of `win`, `loss`, `no_difference`, `keep_running`, `do_not_trust`, and `unknown`, separated by commas. */
                verdict?: string;
                /** @description Only those with a change that waits for a second person (`true`), or only the others. */
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
            /** @description Its link is of no use any more. */
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
            /** @description The person is gone. */
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
            /** @description Applied whole. */
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
            /** @description It signs its person in from now on. */
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
            /** @description It is of no use any more. */
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
            /** @description The options. */
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
            /** @description How many other sessions were ended. */
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
            /** @description How many were ended. */
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
            /** @description It is over. */
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
            /** @description The secret. */
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
            /** @description It is needed from now on. */
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
            /** @description It is not needed any more. */
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
                /** @description The `next_cursor` of the page before. */
                cursor?: string;
                /** @description Only experiments that were concluded at this moment or later; a date is its midnight in UTC. */
                from?: string;
                /** @description Page size; 50 unless given, at most 200: more is cut to that. */
                limit?: number;
                /** @description Lists only experiments with these outcomes, words separated by commas. */
                outcome?: string;
                /** @description Keys of projects, separated by commas; all that the caller sees unless given. */
                project?: string;
                /** @description Lists only experiments whose name, key, page, labels, note or lesson contain this text; letter case does not matter. An id finds its experiment too. */
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
                /** @description The `X-Muriel-Cursor` of the page before. */
                cursor?: string;
                /** @description Only experiments that were concluded at this moment or later; a date is its midnight in UTC. */
                from?: string;
                /** @description Lines; 1,000 unless given, which is the most. */
                limit?: number;
                /** @description Lists only experiments with these outcomes, words separated by commas. */
                outcome?: string;
                /** @description Keys of projects, separated by commas; all that the caller sees unless given. */
                project?: string;
                /** @description Lists only experiments whose name, key, page, labels, note or lesson contain this text; letter case does not matter. An id finds its experiment too. */
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
            /** @description The table. */
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
                /** @description 1 to 255 printable ASCII characters, spaces only within; the first good answer is given again for a day. */
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
            /** @description The experiment was made. */
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
            /** @description The whole table, as it can be sent back. */
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
            /** @description The table is now as it was sent. */
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
            /** @description A list of assignments per context, in the order sent. */
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
                /** @description 1 to 255 printable ASCII characters, spaces only within; the first good answer is given again for a day. */
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
            /** @description The group was made. */
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
                /** @description Whether visitors of live experiments may be moved; false unless sent. A JSON body with this field is taken as well. */
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
            /** @description It is gone. */
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
            /** @description Applied whole. */
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
                /** @description Visitors who entered, and what they did, until the end of this day. */
                end_date?: string;
                /** @description The goal to report; the one that most of its experiments have as their primary goal by default. */
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
    listExperimentKeys: {
        parameters: {
            query?: {
                /** @description Only experiments with a greater id; `next_after` of the page before. */
                after?: number;
                /** @description Page size; 500 unless given, at most 1000: more is cut to that. */
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
                /** @description Only if the answer no longer has this ETag; 304 otherwise. */
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
            /** @description The version named in If-None-Match is the present one. */
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
                /** @description Only if the experiment still has this ETag; 412 otherwise. */
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
            /** @description It is gone. */
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
                /** @description Only if the experiment still has this ETag; 412 otherwise. */
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
        /** @description As application/json a field that is sent takes its new value whole; as application/merge-patch+json objects merge (RFC 7396). */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExperimentPatch"];
                "application/merge-patch+json": components["schemas"]["MergePatch"];
            };
        };
        responses: {
            /** @description Applied whole, with the new ETag and, in X-Muriel-Warnings, what to look at. */
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
                /** @description Only if the experiment still has this ETag; 412 otherwise. */
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
            /** @description Where it is now. */
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
                /** @description Only if the experiment still has this ETag; 412 otherwise. */
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
        /** @description As that of the update. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExperimentPatch"];
                "application/merge-patch+json": components["schemas"]["MergePatch"];
            };
        };
        responses: {
            /** @description What would change, as of the ETag. */
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
                /** @description The `next_cursor` of the page before. */
                cursor?: string;
                /** @description Page size; 50 unless given, at most 200: more is cut to that. */
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
                /** @description 1 to 255 printable ASCII characters, spaces only within; the first good answer is given again for a day. */
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
            /** @description The comment is kept. */
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
                /** @description 1 to 255 printable ASCII characters, spaces only within; the first good answer is given again for a day. */
                "Idempotency-Key"?: string;
                /** @description Only if the experiment still has this ETag; 412 otherwise. */
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
            /** @description The experiment is concluded. */
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
    confirmPlan: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 printable ASCII characters, spaces only within; the first good answer is given again for a day. */
                "Idempotency-Key"?: string;
                /** @description Only if the experiment still has this ETag; 412 otherwise. */
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
            /** @description The clock goes by the experiment as it is. */
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
                /** @description 1 to 255 printable ASCII characters, spaces only within; the first good answer is given again for a day. */
                "Idempotency-Key"?: string;
                /** @description Only if the experiment still has this ETag; 412 otherwise. */
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
            /** @description The copy was made. */
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
            /** @description Every check in its order; `variant` is null where the visitor is not included. */
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
                /** @description The `next_cursor` of the page before. */
                cursor?: string;
                /** @description Page size; 20 unless given, at most 100: more is cut to that. */
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
                /** @description Percent of such lifts to be found, 50 to 99; 80 by default. */
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
            /** @description The control first. */
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
                /** @description The `next_cursor` of the page before. */
                cursor?: string;
                /** @description Page size; 20 unless given, at most 100: more is cut to that. */
                limit?: number;
                /** @description Only those in this state: `open`, `approved`, `rejected` or `withdrawn`. */
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
                /** @description 1 to 255 printable ASCII characters, spaces only within; the first good answer is given again for a day. */
                "Idempotency-Key"?: string;
                /** @description Only if the experiment still has this ETag; 412 otherwise. */
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
        /** @description As application/json a field that is sent takes its new value whole; as application/merge-patch+json objects merge (RFC 7396). */
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
                /** @description 1 to 255 printable ASCII characters, spaces only within; the first good answer is given again for a day. */
                "Idempotency-Key"?: string;
                /** @description Only if the experiment still has this ETag; 412 otherwise. */
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
            /** @description The experiment is open again. */
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
                /** @description 1 to 255 printable ASCII characters, spaces only within; the first good answer is given again for a day. */
                "Idempotency-Key"?: string;
                /** @description Only if the experiment still has this ETag; 412 otherwise. */
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
            /** @description It has that state again. */
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
                /** @description Only if the experiment still has this ETag; 412 otherwise. */
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
            /** @description What would change, as of the ETag. */
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
                /** @description Visitors who entered, and what they did, until the end of this day. */
                end_date?: string;
                /** @description Visitors who entered in this epoch, or `all`. */
                epoch?: string;
                /** @description Of `mobile desktop tablet new returning paid search direct country-XX`, separated by commas: all hold at entry, of several countries one. */
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
                /** @description Visitors who entered, and what they did, until the end of this day. */
                end_date?: string;
                /** @description Visitors who entered in this epoch, or `all`. */
                epoch?: string;
                /** @description Of `mobile desktop tablet new returning paid search direct country-XX`, separated by commas: all hold at entry, of several countries one. */
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
            /** @description The table. */
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
                /** @description 1 to 255 printable ASCII characters, spaces only within; the first good answer is given again for a day. */
                "Idempotency-Key"?: string;
                /** @description Only if the experiment still has this ETag; 412 otherwise. */
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
                /** @description Only if the experiment still has this ETag; 412 otherwise. */
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
            /** @description The rollout it has now. */
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
                /** @description 1 to 255 printable ASCII characters, spaces only within; the first good answer is given again for a day. */
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
            /** @description The link works. */
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
            /** @description What becomes of it. */
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
                /** @description Only if the experiment still has this ETag; 412 otherwise. */
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
            /** @description The status it has now. */
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
                /** @description 1 to 255 printable ASCII characters, spaces only within; the first good answer is given again for a day. */
                "Idempotency-Key"?: string;
                /** @description Only if the experiment still has this ETag; 412 otherwise. */
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
                /** @description As in the result; so are the others. */
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
            /** @description A point per day and arm; in X-Muriel-Warnings, whether to trust them. */
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
            /** @description Whether one does, and how many people do. */
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
            /** @description One watches it. */
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
            /** @description One does not watch it. */
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
                /** @description Page size; 50 unless given, at most 500: more is cut to that. */
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
                /** @description 1 to 255 printable ASCII characters, spaces only within; the first good answer is given again for a day. */
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
            /** @description The goal was made. */
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
                /** @description Only if the goal still has this ETag; 412 otherwise. */
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
            /** @description It is gone. */
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
                /** @description Only if the goal still has this ETag; 412 otherwise. */
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
            /** @description Applied whole. */
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
                /** @description Days to look at, today among them; 14 unless given. */
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
                /** @description The `next_cursor` of the page before. */
                cursor?: string;
                /** @description Page size; 20 unless given, at most 100: more is cut to that. */
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
                /** @description 1 to 255 printable ASCII characters, spaces only within; the first good answer is given again for a day. */
                "Idempotency-Key"?: string;
                /** @description Only if the goal still has this ETag; 412 otherwise. */
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
            /** @description It has that state again. */
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
                /** @description Page size; 50 unless given, at most 500: more is cut to that. */
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
                /** @description Whether to return archived ones too; true, false, 1 or 0. */
                include_archived?: boolean;
                /** @description Page size; 50 unless given, at most 200: more is cut to that. */
                limit?: number;
                /** @description Hypotheses to skip. */
                offset?: number;
                /** @description Only hypotheses whose observation, problem or solution contains this text; letter case does not matter. */
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
                /** @description 1 to 255 printable ASCII characters, spaces only within; the first good answer is given again for a day. */
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
            /** @description The hypothesis was made. */
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
                /** @description Only hypotheses with a greater id; `next_after` of the page before. */
                after?: number;
                /** @description Page size; 500 unless given, at most 1000: more is cut to that. */
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
                /** @description Only if the hypothesis still has this ETag; 412 otherwise. */
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
            /** @description Applied whole. */
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
                /** @description The `next_cursor` of the page before. */
                cursor?: string;
                /** @description Page size; 50 unless given, at most 200: more is cut to that. */
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
                /** @description 1 to 255 printable ASCII characters, spaces only within; the first good answer is given again for a day. */
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
            /** @description The comment is kept. */
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
                /** @description The `next_cursor` of the page before. */
                cursor?: string;
                /** @description Page size; 20 unless given, at most 100: more is cut to that. */
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
                /** @description 1 to 255 printable ASCII characters, spaces only within; the first good answer is given again for a day. */
                "Idempotency-Key"?: string;
                /** @description Only if the hypothesis still has this ETag; 412 otherwise. */
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
            /** @description It has that state again. */
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
            /** @description What was seen. */
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
                /** @description The visitor's id, as the page has it: `localStorage.muriel_id` in its console, with the name of the page's API in place of `muriel`. */
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
            /** @description A stream of messages, each of which has this JSON as its data. */
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
                /** @description Only if the answer no longer has this ETag; 304 otherwise. */
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
            /** @description The result named in If-None-Match is the present one. */
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
            /** @description What the visitor gets, and why. */
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
                /** @description How many at most; 20 unless given, at most 100: more is cut to that. */
                limit?: number;
                /** @description Only those whose name contains this, in any letter case. */
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
                /** @description The `next_cursor` of the page before. */
                cursor?: string;
                /** @description Page size; 20 unless given, at most 100: more is cut to that. */
                limit?: number;
                /** @description Only those in this state: `open`, `approved`, `rejected` or `withdrawn`. */
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
                /** @description 1 to 255 printable ASCII characters, spaces only within; the first good answer is given again for a day. */
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
            /** @description The change is made. */
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
                /** @description 1 to 255 printable ASCII characters, spaces only within; the first good answer is given again for a day. */
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
                /** @description 1 to 255 printable ASCII characters, spaces only within; the first good answer is given again for a day. */
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
            /** @description The settings that it has now. */
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
            /** @description The link does not work. */
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
            /** @description How far each node is. It stays on record when it is done. */
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
                /** @description Where to go on: the `cursor` of the answer before. The beginning unless given. */
                cursor?: string;
                /** @description Most events of an answer; 100 unless given, at most 1000: more is cut to that. */
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
            /** @description Oldest first. A visitor who is not known has no events. */
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
            /** @description The deletion is on record and will be done. */
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
                /** @description 1 to 255 printable ASCII characters, spaces only within; the first good answer is given again for a day. */
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
            /** @description The webhook was made. */
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
            /** @description It is gone. */
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
            /** @description Applied whole. */
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
                /** @description Page size; 50 unless given, at most 500: more is cut to that. */
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
                /** @description 1 to 255 printable ASCII characters, spaces only within; the first good answer is given again for a day. */
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
            /** @description The message is on its way. */
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
                /** @description 1 to 255 printable ASCII characters, spaces only within; the first good answer is given again for a day. */
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
            /** @description Messages have two signatures now. */
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
                /** @description 1 to 255 printable ASCII characters, spaces only within; the first good answer is given again for a day. */
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
            /** @description The message is on its way. */
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
            /** @description The project was made. */
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
            /** @description The session is over. */
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
            /** @description The ways. */
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
                /** @description What the provider gives the person for. */
                code?: string;
                /** @description What the sign-in was begun with. */
                state?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description To a page of the server. */
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
            /** @description To the provider. */
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
            /** @description The options. */
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
