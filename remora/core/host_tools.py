"""The actions of each host's own tools, for its transcripts and its hooks.

A table has the names of all of a host's versions. In a transcript any other tool is an MCP tool, so the table
includes tools without an action, as "other".
"""

from __future__ import annotations

from remora.core.actions import table

COPILOT = table(
    {
        "read": "view show_file",
        "edit": "edit str_replace_editor apply_patch",
        "write": "create",
        "run": "bash powershell local_shell",
        "search": "grep rg",
        "glob": "glob",
        "fetch": "web_fetch web_search fetch_copilot_cli_documentation",
        "plan": "update_todo report_intent exit_plan_mode",
        "task": "task read_agent list_agents",
        "memory": "store_memory",
        "other": "read_bash write_bash stop_bash list_bash read_powershell write_powershell stop_powershell "
        "list_powershell ask_user skill",
    }
)
CURSOR = table(
    {
        "read": "read_file read_file_v2 Read ReadFile ReadLints read_lints",
        "edit": "edit_file edit_file_v2 Edit search_replace apply_patch MultiEdit "
        "edit_notebook reapply delete_file apply_agent_diff StrReplace SearchReplace Delete "
        "EditNotebook EditFile ApplyPatch",
        "write": "write Write create_file",
        "run": "run_terminal_cmd run_terminal_command run_terminal_command_v2 Shell Terminal",
        "search": "grep Grep grep_search codebase_search ripgrep ripgrep_search "
        "ripgrep_raw_search semantic_search_full semantic_search SemanticSearch Search Codebase",
        "glob": "list_dir list_dir_v2 LS Glob file_search glob_file_search ListDir ListDirectory FileSearch",
        "fetch": "web_search web_fetch WebSearch WebFetch fetch_mcp_resource read_mcp_resource",
        "task": "task task_v2 Task Subagent",
        "plan": "todo_write TodoWrite create_plan UpdateTodos CreatePlan SwitchMode",
        "memory": "update_memory",
        "other": "fetch_rules ask_question AskQuestion Await AwaitShell write_shell_stdin GetMcpTools "
        "list_mcp_resources",
    }
)
GEMINI = table(
    {
        "read": "read_file read_many_files get_internal_docs",
        "edit": "replace edit",
        "write": "write_file",
        "run": "run_shell_command",
        "search": "search_file_content grep_search",
        "glob": "glob list_directory",
        "fetch": "web_fetch google_web_search read_mcp_resource",
        "task": "codebase_investigator delegate_to_agent generalist invoke_agent",
        "plan": "write_todos enter_plan_mode exit_plan_mode tracker_create_task tracker_update_task "
        "tracker_get_task tracker_list_tasks tracker_add_dependency tracker_visualize",
        "memory": "save_memory",
        "other": "activate_skill ask_user update_topic complete_task list_mcp_resources",
    }
)
OPENCODE = table(
    {
        "read": "read",
        "edit": "edit multiedit patch apply_patch",
        "write": "write",
        "run": "bash shell",
        "search": "grep lsp",
        "glob": "glob list",
        "fetch": "webfetch websearch codesearch execute",
        "task": "task",
        "plan": "todowrite todoread plan_enter plan_exit",
        "other": "skill question batch invalid reload StructuredOutput",
    }
)
VSCODE = table(
    {
        "read": "read_file readFile copilot_readFile view_image read_notebook_cell_output "
        "copilot_readNotebookCellOutput copilot_getNotebookSummary get_errors copilot_getErrors "
        "get_changed_files copilot_getChangedFiles read_project_structure copilot_readProjectStructure "
        "get_search_view_results copilot_getSearchResults",
        "edit": "replace_string_in_file copilot_replaceString multi_replace_string_in_file "
        "copilot_multiReplaceString insert_edit_into_file copilot_insertEdit apply_patch copilot_applyPatch "
        "edit_notebook_file editNotebook copilot_editNotebook edit_files editFiles copilot_editFiles "
        "textEditGroup",
        "write": "create_file createFile copilot_createFile create_new_jupyter_notebook "
        "copilot_createNewJupyterNotebook",
        "run": "run_in_terminal runInTerminal runTerminalCommand runCommands run_task create_and_run_task "
        "copilot_createAndRunTask runTests run_tests copilot_runTests1 run_notebook_cell "
        "copilot_runNotebookCell",
        "search": "grep_search textSearch copilot_findTextInFiles semantic_search codebase "
        "copilot_searchCodebase list_code_usages vscode_listCodeUsages copilot_listCodeUsages "
        "search_workspace_symbols copilot_searchWorkspaceSymbols test_search copilot_findTestFiles",
        "glob": "file_search fileSearch copilot_findFiles list_dir listDirectory copilot_listDirectory",
        "fetch": "fetch_webpage fetch copilot_fetchWebPage github_repo githubRepo copilot_githubRepo "
        "open_simple_browser copilot_openSimpleBrowser get_vscode_api copilot_getVSCodeAPI",
        "task": "runSubagent search_subagent execution_subagent",
        "plan": "manage_todo_list todos",
        "memory": "memory resolve_memory_file_uri copilot_memory",
        "other": "get_terminal_output terminal_selection terminal_last_command get_task_output test_failure "
        "copilot_testFailure create_directory copilot_createDirectory create_new_workspace "
        "copilot_createNewWorkspace install_extension copilot_installExtension get_project_setup_info "
        "copilot_getProjectSetupInfo run_vscode_command copilot_runVscodeCommand vscode_get_confirmation "
        "vscode_get_terminal_confirmation tool_replay copilot_toolReplay update_user_preferences "
        "copilot_updateUserPreferences get_doc_info copilot_getDocInfo think",
    }
)
